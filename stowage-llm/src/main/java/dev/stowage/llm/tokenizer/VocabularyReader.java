package dev.stowage.llm.tokenizer;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.Printable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Reads the vocabulary out of the metadata and checks it: whatever the file says, what comes out has one type per
 * token, no token twice, and names only tokens that are there.
 */
final class VocabularyReader {

    /** Tokens that end a message where the file does not say which does, the most certain first. */
    private static final List<String> TURN_ENDS = List.of(
            "<|eot_id|>",
            "<|im_end|>",
            "<|end|>",
            "<end_of_turn>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<EOT>",
            "_<EOT>",
            "[EOT]",
            "<｜end▁of▁sentence｜>",
            "<end_of_utterance>");

    /** Further tokens after which nothing comes, in any vocabulary that has them. */
    private static final List<String> OTHER_ENDS = List.of(
            "<|eom_id|>",
            "<|return|>",
            "<|call|>",
            "<|flush|>",
            "<|calls|>",
            "</s>",
            "[EOS]",
            "<eos>",
            "<turn|>",
            "<|tool_response>",
            "[e~[");

    /** Of models that fill in the middle, those that end it; what follows would be another file. */
    private static final List<List<String>> MIDDLE_ENDS = List.of(
            List.of("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
            List.of("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
            List.of("<|file_sep|>"));

    /** The other tokens of such models: where the file begins, where it goes on, and what is between. */
    private static final List<List<String>> MIDDLE_MARKS = List.of(
            List.of(
                    "<|fim_prefix|>",
                    "<fim-prefix>",
                    "<fim_prefix>",
                    "<｜fim▁begin｜>",
                    "<PRE>",
                    "▁<PRE>",
                    "<|code_prefix|>",
                    "<|prefix|>"),
            List.of(
                    "<|fim_suffix|>",
                    "<fim-suffix>",
                    "<fim_suffix>",
                    "<｜fim▁hole｜>",
                    "<SUF>",
                    "▁<SUF>",
                    "<|code_suffix|>",
                    "<|suffix|>"),
            List.of(
                    "<|fim_middle|>",
                    "<fim-middle>",
                    "<fim_middle>",
                    "<｜fim▁end｜>",
                    "<MID>",
                    "▁<MID>",
                    "<|code_middle|>",
                    "<|middle|>"));

    /** What llama.cpp writes for a token that there is not into the models it saves: -1 without a sign. */
    private static final long NONE = 0xFFFF_FFFFL;

    private final GgufMetadata metadata;
    private final List<String> texts;
    private final Map<String, Integer> ids;
    private final TokenType[] types;
    private final BitSet ends = new BitSet();

    VocabularyReader(GgufMetadata metadata) {
        this.metadata = metadata;
        this.texts = readTexts();
        this.ids = index(texts);
        this.types = readTypes();
    }

    /** The vocabulary of WordPiece, in which texts begin and end with what BERT calls [CLS] and [SEP]. */
    Vocabulary readWordPieces() {
        OptionalInt begin = metadata.has(TokenizerKeys.BOS) ? id(TokenizerKeys.BOS, -1) : id(TokenizerKeys.CLS, 101);
        return read(begin, id(TokenizerKeys.SEP, 102), 100);
    }

    /** The vocabulary, with these ids for begin, end and unknown where the metadata names none. */
    Vocabulary read(int bos, int eos, int unknown) {
        return read(id(TokenizerKeys.BOS, bos), id(TokenizerKeys.EOS, eos), unknown);
    }

    private Vocabulary read(OptionalInt bos, OptionalInt eos, int unknown) {
        OptionalInt eot = id(TokenizerKeys.EOT, -1);
        OptionalInt eom = id(TokenizerKeys.EOM, -1);
        if (eot.isEmpty()) {
            eot = firstOf(TURN_ENDS);
            eot.ifPresent(this::control);
        }
        Vocabulary.SpecialIds special = new Vocabulary.SpecialIds(
                bos,
                eos,
                eot,
                eom.isPresent() ? eom : firstOf(List.of("<|eom_id|>")),
                id(TokenizerKeys.UNKNOWN, unknown));
        TURN_ENDS.forEach(this::endIfThere);
        OTHER_ENDS.forEach(this::endIfThere);
        for (List<String> names : MIDDLE_ENDS) {
            firstOf(names).ifPresent(this::end);
        }
        for (List<String> names : MIDDLE_MARKS) {
            firstOf(names).ifPresent(this::control);
        }
        special.eos().ifPresent(ends::set);
        special.eot().ifPresent(ends::set);
        special.eom().ifPresent(ends::set);
        return new Vocabulary(texts, ids, types, special, ends);
    }

    private void endIfThere(String text) {
        Integer id = ids.get(text);
        if (id != null) {
            end(id);
        }
    }

    private void end(int id) {
        ends.set(id);
        control(id);
    }

    /** Files that call these plain text are mistaken: they would be printed. */
    private void control(int id) {
        types[id] = TokenType.CONTROL;
    }

    private OptionalInt firstOf(List<String> names) {
        return names.stream()
                .filter(ids::containsKey)
                .mapToInt(name -> ids.getOrDefault(name, -1))
                .findFirst();
    }

    private OptionalInt id(String key, int otherwise) {
        if (!metadata.has(key) || metadata.whole(key) == NONE) {
            return otherwise >= 0 && otherwise < texts.size() ? OptionalInt.of(otherwise) : OptionalInt.empty();
        }
        long id = metadata.whole(key);
        if (id < 0 || id >= texts.size()) {
            throw new MalformedDataException("key '" + key + "' is " + id + ", but there are only " + texts.size()
                    + " tokens in '" + TokenizerKeys.TOKENS + "'");
        }
        return OptionalInt.of((int) id);
    }

    private List<String> readTexts() {
        GgufArray array = metadata.array(TokenizerKeys.TOKENS);
        if (array.elementType() != GgufType.STRING) {
            throw new MalformedDataException(
                    "key '" + TokenizerKeys.TOKENS + "' must be an array of strings, and is " + array);
        }
        if (array.size() == 0) {
            throw new MalformedDataException("key '" + TokenizerKeys.TOKENS + "' has no token");
        }
        List<String> all = new ArrayList<>(array.size());
        for (int id = 0; id < array.size(); id++) {
            String text = array.text(id);
            all.add(text.isEmpty() ? "[EMPTY_" + id + "]" : text);
        }
        return all;
    }

    private static Map<String, Integer> index(List<String> texts) {
        Map<String, Integer> ids = HashMap.newHashMap(texts.size());
        for (int id = 0; id < texts.size(); id++) {
            Integer before = ids.putIfAbsent(texts.get(id), id);
            if (before != null) {
                throw new MalformedDataException("key '" + TokenizerKeys.TOKENS + "' has the token '"
                        + Printable.brief(texts.get(id)) + "' twice, as " + before + " and as " + id);
            }
        }
        return ids;
    }

    private TokenType[] readTypes() {
        TokenType[] all = new TokenType[texts.size()];
        if (!metadata.has(TokenizerKeys.TYPES)) {
            Arrays.fill(all, TokenType.NORMAL);
            return all;
        }
        GgufArray array = metadata.array(TokenizerKeys.TYPES);
        requireSuits(TokenizerKeys.TYPES, array, array.elementType().isWhole(), "whole numbers");
        for (int id = 0; id < all.length; id++) {
            all[id] = TokenType.of(array.whole(id));
        }
        return all;
    }

    /** The scores of all tokens; 0 each where there are none. */
    float[] scores() {
        float[] all = new float[texts.size()];
        if (!metadata.has(TokenizerKeys.SCORES)) {
            return all;
        }
        GgufArray array = metadata.array(TokenizerKeys.SCORES);
        boolean whole = array.elementType().isWhole();
        requireSuits(TokenizerKeys.SCORES, array, whole || array.elementType().isReal(), "numbers");
        for (int id = 0; id < all.length; id++) {
            all[id] = whole ? array.whole(id) : (float) array.real(id);
            if (Float.isNaN(all[id])) {
                throw new MalformedDataException("key '" + TokenizerKeys.SCORES + "' has no number for token " + id);
            }
        }
        return all;
    }

    private void requireSuits(String key, GgufArray array, boolean suits, String what) {
        if (!suits) {
            throw new MalformedDataException("key '" + key + "' must be an array of " + what + ", and is " + array);
        }
        if (array.size() != texts.size()) {
            throw new MalformedDataException("key '" + key + "' has " + array.size() + " elements, but '"
                    + TokenizerKeys.TOKENS + "' has " + texts.size() + ": there must be one for each token");
        }
    }
}
