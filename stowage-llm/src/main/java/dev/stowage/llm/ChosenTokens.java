package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The tokens that the passes of the last run chose. Those of the last pass may still be in staging memory. */
final class ChosenTokens {

    private final HostStaging staging;
    private int[] tokens = new int[1];
    private int count;

    /** Where the last tokens are, from that number on; null once they are in the array. */
    private @Nullable MemorySegment staged;

    private int stagedFrom;

    ChosenTokens(HostStaging staging) {
        this.staging = staging;
    }

    int count() {
        return count;
    }

    void clear() {
        count = 0;
        staged = null;
    }

    /** Appends the first tokens of the tensor that a pass computes; they can be read once its backends have been synchronized. */
    void read(BoundSchedule bound, Tensor tensor, int wanted) {
        if (wanted == 0) {
            return;
        }
        fetch();
        if (tokens.length < count + wanted) {
            tokens = Arrays.copyOf(tokens, Math.max(2 * tokens.length, count + wanted));
        }
        BoundTensor source = bound.tensor(tensor);
        long bytes = (long) wanted * Integer.BYTES;
        if (source.buffer().isHost()) {
            source.get(0, MemorySegment.ofArray(tokens).asSlice((long) count * Integer.BYTES, bytes));
        } else {
            staged = staging.read(source, bound.backendOf(tensor), bytes);
            stagedFrom = count;
        }
        count += wanted;
    }

    /**
     * @throws AccessException if there are not so many
     */
    int token(int number) {
        if (number < 0 || number >= count) {
            throw new AccessException("the last run gave " + count + " tokens, so there is none with number " + number);
        }
        fetch();
        return tokens[number];
    }

    private void fetch() {
        if (staged != null) {
            MemorySegment.copy(staged, ValueLayout.JAVA_INT, 0, tokens, stagedFrom, count - stagedFrom);
            staged = null;
        }
    }
}
