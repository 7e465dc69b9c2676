package dev.stowage.cuda.program;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.memory.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where kernels of a stream report a number of a row that a table does not have, since they cannot throw. It is pinned host
 * memory, which kernels write to directly: looking at it when the stream has been waited for costs no call of the driver.
 * Taken when the first program needs it. Used by one thread at a time.
 *
 * <pre>
 *   {number of the subject + 1, number of the row, rows of the table}     0 first while nothing was found
 * </pre>
 */
public final class IndexReport implements AutoCloseable {

    private static final int NUMBERS = 3;

    /** More subjects than that share one description. */
    private static final int MOST_SUBJECTS = 1 << 14;

    private final DeviceContext context;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> subjects = new ArrayList<>();
    private @Nullable MemorySegment memory;

    /** An empty report. */
    public IndexReport(DeviceContext context) {
        this.context = context;
        subjects.add("a node of an earlier graph");
    }

    /**
     * What was found.
     *
     * @param subject the node that the number was for, described
     * @param row the number
     * @param rows how many rows there are
     */
    public record Finding(String subject, long row, long rows) {

        /** The same as a sentence. */
        public String text() {
            return rows == 0
                    ? "it names row " + row + " of a tensor that has none"
                    : "it names row " + row + ", and there are rows 0 to " + (rows - 1);
        }
    }

    /**
     * The address that kernels write to.
     *
     * @throws dev.stowage.error.AllocationException if there is too little memory
     */
    long address() {
        MemorySegment known = memory;
        if (known == null) {
            known = context.allocatePinned("the report of " + context.name(), NUMBERS * Long.BYTES);
            known.fill((byte) 0);
            memory = known;
        }
        return known.address();
    }

    /** The number that stands for a subject. */
    long numberOf(String subject) {
        if (subjects.size() >= MOST_SUBJECTS && !numbers.containsKey(subject)) {
            return 0;
        }
        return numbers.computeIfAbsent(subject, added -> {
            subjects.add(added);
            return subjects.size() - 1;
        });
    }

    /** What kernels have found since the last call; the stream has been waited for. */
    public Optional<Finding> take() {
        MemorySegment known = memory;
        if (known == null || known.getAtIndex(JAVA_LONG, 0) == 0) {
            return Optional.empty();
        }
        int subject = (int) known.getAtIndex(JAVA_LONG, 0) - 1;
        Finding finding =
                new Finding(subjects.get(subject), known.getAtIndex(JAVA_LONG, 1), known.getAtIndex(JAVA_LONG, 2));
        known.fill((byte) 0);
        return Optional.of(finding);
    }

    /** Frees the memory; nothing in the stream may use it any more. Never throws. */
    @Override
    public void close() {
        MemorySegment known = memory;
        memory = null;
        if (known != null) {
            context.freePinned(known);
        }
    }
}
