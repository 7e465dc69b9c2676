package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The logits of the last run, a row for each token that was selected, in arrays that the next run uses again. */
final class Logits {

    private final int vocabulary;
    private final HostStaging staging;
    private final List<float[]> rows = new ArrayList<>();
    private final List<MemorySegment> rowBytes = new ArrayList<>();
    private int count;

    Logits(int vocabulary, HostStaging staging) {
        this.vocabulary = vocabulary;
        this.staging = staging;
    }

    /** How many rows there are. */
    int count() {
        return count;
    }

    void clear() {
        count = 0;
    }

    /** Appends the first rows of the tensor that a pass has computed. */
    void read(BoundSchedule bound, Tensor tensor, int wanted) {
        if (wanted == 0) {
            return;
        }
        while (rows.size() < count + wanted) {
            float[] row = new float[vocabulary];
            rows.add(row);
            rowBytes.add(MemorySegment.ofArray(row));
        }
        staging.read(bound.tensor(tensor), bound.backendOf(tensor).device(), rowBytes, count, wanted);
        count += wanted;
    }

    /**
     * @throws AccessException if there are not so many
     */
    float[] row(int number) {
        if (number < 0 || number >= count) {
            throw new AccessException(
                    "the last run gave logits for " + count + " tokens, so there are none with number " + number);
        }
        return rows.get(number);
    }
}
