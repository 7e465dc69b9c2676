package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The logits of the last run, or its states, a row for each token that was selected. A row that comes from a device stays in staging
 * memory until it is asked for; the arrays are used again by the next run.
 */
final class Logits {

    private final int width;
    private final HostStaging staging;
    private final List<float[]> rows = new ArrayList<>();
    /** By row the staging memory it is in, from {@link #stagedAt} on; null once it is in its array. */
    private final List<@Nullable MemorySegment> staged = new ArrayList<>();

    private long[] stagedAt = new long[1];
    private int count;

    Logits(int width, HostStaging staging) {
        this.width = width;
        this.staging = staging;
    }

    /** How many rows there are. */
    int count() {
        return count;
    }

    void clear() {
        count = 0;
    }

    /** Appends the first rows of the tensor that a pass computes; they can be read once its backends have been synchronized. */
    void read(BoundSchedule bound, Tensor tensor, int wanted) {
        if (wanted == 0) {
            return;
        }
        while (rows.size() < count + wanted) {
            rows.add(new float[width]);
            staged.add(null);
        }
        BoundTensor source = bound.tensor(tensor);
        Backend backend = bound.backendOf(tensor);
        long rowBytes = (long) width * Float.BYTES;
        if (source.buffer().isHost()) {
            for (int i = 0; i < wanted; i++) {
                source.get(i * rowBytes, MemorySegment.ofArray(rows.get(count + i)));
                staged.set(count + i, null);
            }
        } else {
            MemorySegment bytes = staging.read(source, backend, wanted * rowBytes);
            if (stagedAt.length < count + wanted) {
                stagedAt = Arrays.copyOf(stagedAt, rows.size());
            }
            for (int i = 0; i < wanted; i++) {
                staged.set(count + i, bytes);
                stagedAt[count + i] = i * rowBytes;
            }
        }
        count += wanted;
    }

    /** Whether reading that tensor only submits a transfer, so that it can be done before the backend is synchronized. */
    boolean submits(BoundSchedule bound, Tensor tensor) {
        return !bound.tensor(tensor).buffer().isHost() && staging.submits(bound.backendOf(tensor));
    }

    /**
     * @throws AccessException if there are not so many
     */
    float[] row(int number) {
        if (number < 0 || number >= count) {
            throw new AccessException(
                    "the last run gave something for " + count + " tokens, so there is nothing with number " + number);
        }
        float[] row = rows.get(number);
        MemorySegment bytes = staged.get(number);
        if (bytes != null) {
            MemorySegment.copy(bytes, ValueLayout.JAVA_FLOAT, stagedAt[number], row, 0, width);
            staged.set(number, null);
        }
        return row;
    }
}
