package dev.stowage.llm.engine;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.LanguageModel;

/** What a request must be to run with a model at all, and how much of the cache it gets. */
final class RequestChecks {

    private final LanguageModel model;

    RequestChecks(LanguageModel model) {
        this.model = model;
    }

    /**
     * Refuses what can never run.
     *
     * @throws AccessException if the prompt has no tokens, or the vocabulary lacks one of them
     * @throws AllocationException if the context can never hold the prompt
     */
    void require(CompletionRequest request) {
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

    /**
     * How many tokens a request may have in the cache: what it asks for, or else a slot's share of the context, and at least
     * half of that beyond its prompt. The last token is never put there.
     */
    int limit(CompletionRequest request) {
        long prompt = request.promptTokens();
        int share = model.context() / model.options().sequences();
        long wanted = request.maxTokens() == CompletionRequest.UNLIMITED
                ? Math.max(share, prompt + share / 2)
                : prompt + Math.max(0, request.maxTokens() - 1);
        return (int) Math.min(model.context(), wanted);
    }
}
