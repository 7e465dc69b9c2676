package dev.stowage.llm.grammar;

import dev.stowage.error.AccessException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.Tokenizer;

/** A grammar in one text. */
final class GrammarConstraint implements TokenConstraint {

    private final TokenMasks masks;
    private final Tokenizer tokenizer;
    private final WorkLimit work;
    private ParseState state;
    private int tokens;

    GrammarConstraint(TokenMasks masks, Tokenizer tokenizer) {
        this.masks = masks;
        this.tokenizer = tokenizer;
        this.work = new WorkLimit(masks.trie().nodes());
        this.state = masks.start();
    }

    @Override
    public void mask(float[] logits) {
        if (logits.length != tokenizer.vocabulary().size()) {
            throw new AccessException(logits.length + " logits were given for a vocabulary of "
                    + tokenizer.vocabulary().size());
        }
        if (!masks.mask(state, logits, work)) {
            throw new MalformedDataException("no token may come next by the grammar, after " + tokens
                    + " tokens: the vocabulary has none for the characters that it asks for");
        }
    }

    @Override
    public void accept(int token) {
        byte[] bytes = tokenizer.bytes(token);
        boolean text = bytes.length > 0
                && !tokenizer.vocabulary().type(token).isHidden()
                && !tokenizer.vocabulary().isEnd(token);
        ParseState next = text ? masks.after(state, bytes, work) : null;
        if (next == null) {
            throw new MalformedDataException("token " + token + ", '"
                    + tokenizer.vocabulary().text(token) + "', may not come next by the grammar, after " + tokens
                    + " tokens");
        }
        state = next;
        tokens++;
        work.token();
    }

    @Override
    public boolean mustEnd() {
        return masks.mustEnd(state, work);
    }
}
