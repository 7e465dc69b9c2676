package dev.stowage.llm.engine;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.LanguageModel;

/** Refuses requests that a model can never run, before they wait for a slot. */
final class RequestCheck {

    private final LanguageModel model;

    RequestCheck(LanguageModel model) {
        this.model = model;
    }

    /** Checks a request for text. */
    void ofText(CompletionRequest request) {
        model.requireText();
        check(request);
    }

    /** Checks the request for a text's vector. */
    void ofVector(CompletionRequest request) {
        check(request);
    }

    private void check(CompletionRequest request) {
        int vocabulary = model.tokenizer().vocabulary().size();
        if (request.promptTokens() == 0) {
            throw new AccessException(
                    "there is nothing to begin with: the prompt has no tokens, and this model adds none"
                            + " of its own; give it at least one word");
        }
        for (int token : request.sharedPrompt()) {
            requireToken(token, vocabulary);
        }
        request.bias().keySet().forEach(token -> requireToken(token, vocabulary));
        if (request.grammar().isPresent()) {
            // Made here once, and not in the thread of the engine, where everybody would wait for it.
            model.tokenizer().trie();
        }
        if (request.promptTokens() > model.context()) {
            throw new AllocationException(
                    tooLong(request.promptTokens()), "the KV cache", request.promptTokens(), model.context());
        }
    }

    private String tooLong(int tokens) {
        return model.blueprint().shape().isEncoder()
                ? "the text has " + tokens
                        + " tokens, those that begin and end it included, and this model reads at most "
                        + model.context() + " at once: shorten the text, or make vectors of its parts"
                : "the prompt has " + tokens + " tokens, and the context of the model as it was opened has room for "
                        + model.context() + ": shorten it, or open the model with a larger context";
    }

    private static void requireToken(int token, int vocabulary) {
        if (token < 0 || token >= vocabulary) {
            throw new AccessException("there is no token " + token + " in a vocabulary of " + vocabulary);
        }
    }
}
