package dev.stowage.llm.tokenizer;

import dev.stowage.error.AccessException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The tokens of a model: what each is called, of which type it is, and which of them have a part to play, such as those
 * that begin and end a text. Texts are as in the file, which is the alphabet of the tokenizer and not yet plain text.
 */
public final class Vocabulary {

    private final List<String> texts;
    private final Map<String, Integer> ids;
    private final TokenType[] types;
    private final SpecialIds special;
    private final BitSet ends;

    Vocabulary(List<String> texts, Map<String, Integer> ids, TokenType[] types, SpecialIds special, BitSet ends) {
        this.texts = texts;
        this.ids = ids;
        this.types = types;
        this.special = special;
        this.ends = ends;
    }

    /** How many tokens there are. */
    public int size() {
        return texts.size();
    }

    /**
     * What a token is called in the file.
     *
     * @throws AccessException if there is no such token
     */
    public String text(int id) {
        require(id);
        return texts.get(id);
    }

    /**
     * What a token is.
     *
     * @throws AccessException if there is no such token
     */
    public TokenType type(int id) {
        require(id);
        return types[id];
    }

    /** The token that is called so, if there is one. */
    public OptionalInt find(String text) {
        int id = idOf(text);
        return id < 0 ? OptionalInt.empty() : OptionalInt.of(id);
    }

    /** The token that is called so, or -1. */
    int idOf(String text) {
        return ids.getOrDefault(text, -1);
    }

    /** The token that begins a text. */
    public OptionalInt bos() {
        return special.bos();
    }

    /** The token that ends a text. */
    public OptionalInt eos() {
        return special.eos();
    }

    /** The token that ends a message of a chat. */
    public OptionalInt eot() {
        return special.eot();
    }

    /** The token for what the vocabulary cannot say. */
    public OptionalInt unknown() {
        return special.unknown();
    }

    /** Whether a model that chooses this token ends its answer: end of text, of a turn in a chat, of a message. */
    public boolean isEnd(int id) {
        require(id);
        return ends.get(id);
    }

    void require(int id) {
        if (id < 0 || id >= texts.size()) {
            throw new AccessException("there is no token " + id + " in a vocabulary of " + texts.size());
        }
    }

    @Override
    public String toString() {
        return texts.size() + " tokens";
    }

    /** The tokens that have a part to play, as far as there are such. */
    record SpecialIds(OptionalInt bos, OptionalInt eos, OptionalInt eot, OptionalInt eom, OptionalInt unknown) {}
}
