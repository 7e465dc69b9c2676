package dev.stowage.llm.grammar;

import java.util.ArrayList;
import java.util.List;

/**
 * Characters as the byte sequences of their UTF-8: every sequence is one range of bytes after the other, and together they
 * are exactly the characters of a set.
 */
final class Utf8Ranges {

    private static final int[] LAST_OF_LENGTH = {0x7F, 0x7FF, 0xFFFF, CodePoints.LAST};
    private static final int TAIL_BITS = 6;
    private static final int TAIL_MASK = (1 << TAIL_BITS) - 1;

    /** A range of bytes. */
    record Bytes(int low, int high) {}

    private Utf8Ranges() {}

    static List<List<Bytes>> of(CodePoints set) {
        List<List<Bytes>> all = new ArrayList<>();
        for (CodePoints.Range range : set.ranges()) {
            int first = range.first();
            for (int length = 1; length <= LAST_OF_LENGTH.length && first <= range.last(); length++) {
                int last = Math.min(range.last(), LAST_OF_LENGTH[length - 1]);
                if (first <= last) {
                    split(first, last, length, all);
                    first = last + 1;
                }
            }
        }
        return all;
    }

    /** Cuts a range of characters of one length so that each piece is a product of ranges of bytes. */
    private static void split(int first, int last, int length, List<List<Bytes>> out) {
        for (int tail = 1; tail < length; tail++) {
            int mask = (1 << (TAIL_BITS * tail)) - 1;
            if ((first & ~mask) != (last & ~mask)) {
                if ((first & mask) != 0) {
                    split(first, first | mask, length, out);
                    split((first | mask) + 1, last, length, out);
                    return;
                }
                if ((last & mask) != mask) {
                    split(first, (last & ~mask) - 1, length, out);
                    split(last & ~mask, last, length, out);
                    return;
                }
            }
        }
        List<Bytes> sequence = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            sequence.add(new Bytes(byteOf(first, i, length), byteOf(last, i, length)));
        }
        out.add(sequence);
    }

    private static int byteOf(int character, int index, int length) {
        int bits = character >> (TAIL_BITS * (length - 1 - index));
        if (index > 0) {
            return 0x80 | (bits & TAIL_MASK);
        }
        return length == 1 ? bits : ((0xF00 >> length) & 0xFF) | bits;
    }
}
