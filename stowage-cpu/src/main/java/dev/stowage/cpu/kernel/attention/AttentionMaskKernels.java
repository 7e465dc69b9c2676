package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.NE;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Classifies blocks of f16 masks before scores are computed. Most blocks of a mask are all zero or all minus infinity:
 * their scores need no mask, or need not be computed.
 */
public final class AttentionMaskKernels {

    private static final VectorSpecies<Short> S = ShortVector.SPECIES_PREFERRED;

    /** The class of vectors that the compiler cannot infer by itself: those that come out of a loop. */
    private static final Class<? extends Vector<Short>> TYPE = S.vectorType();

    /** Minus infinity. */
    private static final short CLOSED = (short) 0xFC00;

    private AttentionMaskKernels() {}

    /** The first of {@code cells} cells that one of some rows lets through; {@code cells} if there is none. */
    public static int first(long mask, long stride, int rows, int cells) {
        int first = cells;
        for (int row = 0; row < rows && first > 0; row++) {
            first = first(mask + row * stride, first);
        }
        return first;
    }

    private static int first(long mask, int cells) {
        int whole = cells - cells % S.length();
        for (int i = 0; i < whole; i += S.length()) {
            VectorMask<Short> open =
                    ShortVector.fromMemorySegment(S, ALL, mask + i * 2L, ORDER).compare(NE, CLOSED);
            if (open.anyTrue()) {
                return i + open.firstTrue();
            }
        }
        for (int i = whole; i < cells; i++) {
            if (Memory.getShort(mask + i * 2L) != CLOSED) {
                return i;
            }
        }
        return cells;
    }

    /** The cell after the last that one of some rows lets through; not below {@code from}. */
    public static int end(long mask, long stride, int rows, int from, int cells) {
        int end = from;
        for (int row = 0; row < rows && end < cells; row++) {
            end = end(mask + row * stride, end, cells);
        }
        return end;
    }

    private static int end(long mask, int from, int cells) {
        int i = cells;
        for (; i - S.length() >= from; i -= S.length()) {
            VectorMask<Short> open = ShortVector.fromMemorySegment(S, ALL, mask + (i - S.length()) * 2L, ORDER)
                    .compare(NE, CLOSED);
            if (open.anyTrue()) {
                return i - S.length() + open.lastTrue() + 1;
            }
        }
        for (; i > from; i--) {
            if (Memory.getShort(mask + (i - 1) * 2L) != CLOSED) {
                return i;
            }
        }
        return from;
    }

    /** Whether all cells of some rows are zero: let through as they are. */
    public static boolean isOpen(long mask, long stride, int rows, int cells) {
        int whole = cells - cells % S.length();
        for (int row = 0; row < rows; row++) {
            long at = mask + row * stride;
            ShortVector any = ShortVector.zero(S);
            for (int i = 0; i < whole; i += S.length()) {
                any = ShortVector.fromMemorySegment(S, ALL, at + i * 2L, ORDER).or(any);
            }
            int rest = 0;
            for (int i = whole; i < cells; i++) {
                rest |= Memory.getShort(at + i * 2L);
            }
            if (rest != 0
                    || ((ShortVector) TYPE.cast(any)).compare(NE, (short) 0).anyTrue()) {
                return false;
            }
        }
        return true;
    }

    /** Spreads floats that follow each other over places at a stride. */
    public static void spread(long from, int count, long to, long stride) {
        for (int i = 0; i < count; i++) {
            Memory.setFloat(to + i * stride, Memory.getFloat(from + i * 4L));
        }
    }
}
