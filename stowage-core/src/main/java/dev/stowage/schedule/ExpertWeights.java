package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.AccessException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Copies only those experts' weights that a run uses. The third operand of {@code MUL_MAT_ID} selects the expert of
 * each row; if the weights are in host memory and the node is the first of a split, the selection is read first, and
 * each range of consecutive experts in use is copied.
 */
final class ExpertWeights {

    private static final int CHOICE_SLOT = 2;

    /** Kernels may read a little beyond the last expert in use, where NaNs must not occur. */
    private static final long READ_AHEAD_BYTES = 512;

    private MemorySegment numbers = MemorySegment.NULL;
    private final BitSet used = new BitSet();
    private @Nullable BoundTensor readFrom;
    private long copiedBytes;

    @SuppressWarnings("ReferenceEquality") // a tensor is the same only if it is the same object
    private static boolean isSame(BoundTensor one, @Nullable BoundTensor other) {
        return other != null && one.tensor() == other.tensor();
    }

    /** Forgets the selection of the last run. */
    void startRun() {
        readFrom = null;
    }

    /** Submits the copies of input {@code number} of a split. */
    void copy(BoundSplit split, int number) {
        InputCopy copy = split.input(number);
        copy.producer().synchronize();
        int end = Math.toIntExact(copy.source().dim(2));
        readChoice(split, number, end);
        copiedBytes = 0;
        for (int first = used.nextSetBit(0); first >= 0; ) {
            int next = used.nextClearBit(first);
            copiedBytes += copyRun(split.backend(), copy, first, next, end);
            first = used.nextSetBit(next);
        }
    }

    /** The bytes of the last copy. */
    long copiedBytes() {
        return copiedBytes;
    }

    private static long copyRun(Backend backend, InputCopy copy, int first, int end, int count) {
        BoundTensor source = copy.source();
        long expert = source.stride(2);
        long offset = first * expert;
        long length = (end - first) * expert + (end < count ? Math.min(expert, READ_AHEAD_BYTES) : 0);
        length = Math.min(length, source.byteSize() - offset);
        backend.setAsync(copy.copy(), offset, source.segment().asSlice(offset, length));
        return length;
    }

    /** Reads the selection, from the original if it is an input that is not copied yet. */
    private void readChoice(BoundSplit split, int number, int experts) {
        Graph graph = split.graph().graph();
        BoundTensor choice = split.graph().tensor(graph.sourceAt(graph.firstSlot(0) + CHOICE_SLOT));
        Backend backend = split.backend();
        for (int later = number + 1; later < split.inputCount(); later++) {
            if (isSame(split.input(later).copy(), choice)) {
                choice = split.input(later).source();
                backend = split.input(later).producer();
                break;
            }
        }
        if (isSame(choice, readFrom)) {
            return;
        }
        long bytes = choice.byteSize();
        if (numbers.byteSize() < bytes) {
            numbers = Arena.ofAuto().allocate(bytes, Integer.BYTES);
        }
        readFrom = null;
        backend.getAsync(choice, 0, numbers.asSlice(0, bytes));
        backend.synchronize();
        record(choice, experts);
        readFrom = choice;
    }

    private void record(BoundTensor choice, int experts) {
        used.clear();
        for (long row = 0; row < choice.dim(1); row++) {
            for (long column = 0; column < choice.dim(0); column++) {
                int expert = numbers.get(ValueLayout.JAVA_INT, row * choice.stride(1) + column * choice.stride(0));
                if (expert < 0 || expert >= experts) {
                    throw new AccessException(choice.describe() + " chooses expert " + expert + " in row " + row
                            + ", but there are " + experts + ", counted from 0");
                }
                used.set(expert);
            }
        }
    }
}
