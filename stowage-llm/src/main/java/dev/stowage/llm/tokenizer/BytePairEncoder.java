package dev.stowage.llm.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Byte-level byte pair encoding: text is cut into words, each word is its bytes, and neighbouring bytes are joined by
 * rank. Every text can be said, as long as the vocabulary has the 256 bytes; one that it lacks is left out.
 */
final class BytePairEncoder implements Encoder {

    private final Vocabulary vocabulary;
    private final WordSplitter splitter;
    private final MergeTable merges;
    private final int[] byteIds = new int[256];

    BytePairEncoder(Vocabulary vocabulary, WordSplitter splitter, MergeTable merges) {
        this.vocabulary = vocabulary;
        this.splitter = splitter;
        this.merges = merges;
        Arrays.setAll(byteIds, b -> vocabulary.idOf(String.valueOf(ByteAlphabet.letter(b))));
    }

    @Override
    public void encode(String text, TokenList out) {
        int[] characters = text.codePoints().toArray();
        WordMerger merger = new WordMerger();
        int from = 0;
        for (int end : splitter.wordEnds(characters)) {
            byte[] word = new String(characters, from, end - from).getBytes(StandardCharsets.UTF_8);
            encodeWord(word, merger, out);
            from = end;
        }
    }

    private void encodeWord(byte[] word, WordMerger merger, TokenList out) {
        if (splitter.wholeWords()) {
            int whole = vocabulary.idOf(letters(word));
            if (whole >= 0) {
                out.add(whole);
                return;
            }
        }
        merger.begin(word.length);
        for (int i = 0; i < word.length; i++) {
            merger.addSymbol(byteIds[Byte.toUnsignedInt(word[i])], i, 1);
        }
        merger.run(out);
    }

    private static String letters(byte[] word) {
        char[] letters = new char[word.length];
        for (int i = 0; i < word.length; i++) {
            letters[i] = ByteAlphabet.letter(Byte.toUnsignedInt(word[i]));
        }
        return new String(letters);
    }

    @Override
    public byte[] bytes(String token) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(token.length());
        token.codePoints().forEach(c -> {
            int b = c <= Character.MAX_VALUE ? ByteAlphabet.byteOf((char) c) : -1;
            if (b >= 0) {
                bytes.write(b);
            } else {
                // No letter of the alphabet: it can only stand for itself.
                bytes.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
            }
        });
        return bytes.toByteArray();
    }

    @Override
    public boolean addsBlank() {
        return false;
    }

    private final class WordMerger extends PairMerger {

        @Override
        void offer(int left, int right) {
            if (id(left) < 0 || id(right) < 0) {
                return;
            }
            int slot = merges.slot(id(left), id(right));
            if (merges.has(slot)) {
                joins(left, right, merges.rank(slot), merges.result(slot));
            }
        }

        @Override
        void emit(int id, int start, int length, TokenList out) {
            if (id >= 0) {
                out.add(id);
            }
        }
    }
}
