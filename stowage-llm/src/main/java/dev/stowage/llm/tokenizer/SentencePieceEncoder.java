package dev.stowage.llm.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * SentencePiece with byte pairs: text is its characters, blanks written as U+2581, and neighbours that make a token are
 * joined, the one with the best score first. A character that is not a token becomes its bytes, and where there are no
 * tokens for bytes, the unknown token.
 */
final class SentencePieceEncoder implements Encoder {

    private static final char BLANK = '\u2581';

    private final Vocabulary vocabulary;
    private final float[] scores;
    private final boolean addsBlank;
    private final int[] byteIds = new int[256];
    private final int longest;

    SentencePieceEncoder(Vocabulary vocabulary, float[] scores, boolean addsBlank) {
        this.vocabulary = vocabulary;
        this.scores = scores;
        this.addsBlank = addsBlank;
        Arrays.setAll(byteIds, this::byteId);
        int most = 0;
        for (int id = 0; id < vocabulary.size(); id++) {
            most = Math.max(most, vocabulary.text(id).length());
        }
        this.longest = most;
    }

    private int byteId(int b) {
        int named = vocabulary.idOf("<0x" + HexFormat.of().withUpperCase().toHexDigits((byte) b) + ">");
        if (named >= 0) {
            return named;
        }
        return b < 0x80 ? vocabulary.idOf(Character.toString(b)) : -1;
    }

    @Override
    public void encode(String text, TokenList out) {
        String escaped = (addsBlank ? " " + text : text).replace(' ', BLANK);
        TextMerger merger = new TextMerger(escaped);
        merger.begin(escaped.length());
        int at = 0;
        while (at < escaped.length()) {
            int length = Character.charCount(escaped.codePointAt(at));
            merger.addSymbol(vocabulary.idOf(escaped.substring(at, at + length)), at, length);
            at += length;
        }
        merger.run(out);
    }

    @Override
    public byte[] bytes(String token) {
        return token.replace(BLANK, ' ').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean addsBlank() {
        return addsBlank;
    }

    /** A number that is the lower, the higher the score is. */
    private static int urgency(float score) {
        // Adding zero makes a negative zero a plain one, as which it counts.
        int bits = Float.floatToIntBits(score + 0.0f);
        return ~(bits ^ ((bits >> (Integer.SIZE - 1)) & Integer.MAX_VALUE));
    }

    private final class TextMerger extends PairMerger {

        private final String text;

        TextMerger(String text) {
            this.text = text;
        }

        @Override
        void offer(int left, int right) {
            if (end(right) - start(left) <= longest) {
                int id = vocabulary.idOf(text.substring(start(left), end(right)));
                if (id >= 0) {
                    joins(left, right, urgency(scores[id]), id);
                }
            }
        }

        @Override
        void emit(int id, int start, int length, TokenList out) {
            if (id >= 0) {
                out.add(id);
                return;
            }
            byte[] bytes = text.substring(start, start + length).getBytes(StandardCharsets.UTF_8);
            for (byte b : bytes) {
                if (byteIds[Byte.toUnsignedInt(b)] < 0) {
                    vocabulary.unknown().ifPresent(out::add);
                    return;
                }
            }
            for (byte b : bytes) {
                out.add(byteIds[Byte.toUnsignedInt(b)]);
            }
        }
    }
}
