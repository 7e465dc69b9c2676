package dev.stowage.llm.tokenizer;

import java.util.Arrays;

/**
 * The alphabet that byte-level vocabularies write bytes in: one printable character per byte. Bytes that are printable
 * characters of Latin-1 stand for themselves, the others for the characters from U+0100 on, in order.
 */
final class ByteAlphabet {

    private static final int FIRST_STAND_IN = 0x100;

    private static final char[] LETTERS = new char[256];

    /** By letter; -1 where it is none. */
    private static final short[] BYTES = new short[FIRST_STAND_IN + 256];

    static {
        Arrays.fill(BYTES, (short) -1);
        char standIn = FIRST_STAND_IN;
        for (int b = 0; b < 256; b++) {
            boolean printable = (b > 0x20 && b < 0x7F) || (b > 0xA0 && b != 0xAD);
            LETTERS[b] = printable ? (char) b : standIn++;
            BYTES[LETTERS[b]] = (short) b;
        }
    }

    private ByteAlphabet() {}

    /** The letter of a byte, given without its sign. */
    static char letter(int b) {
        return LETTERS[b];
    }

    /** The byte of a letter, without its sign, or -1 if it stands for none. */
    static int byteOf(char letter) {
        return letter < BYTES.length ? BYTES[letter] : -1;
    }
}
