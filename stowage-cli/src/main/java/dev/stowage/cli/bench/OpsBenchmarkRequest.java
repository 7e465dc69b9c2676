package dev.stowage.cli.bench;

import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code stowage bench ops} is requested to do on the command line.
 *
 * @param ops only these groups of cases; all where there is none
 * @param types only these types of weights or caches; the usual ones where there is none
 * @param threads with how many threads to measure, one number after the other; the usual ones where there is none
 * @param rounds how often each side is measured
 * @param device the device to measure; the processor where it is not named
 * @param ggml the folder with ggml's libraries; the one that was fetched before where it is not named
 * @param fetchGgml whether ggml is to be downloaded where it is missing
 * @param quick whether to leave out what takes long
 * @param json where to write the results as JSON, {@code -} for the standard output; nowhere where it is not named
 */
public record OpsBenchmarkRequest(
        List<String> ops,
        List<ElementType> types,
        List<Integer> threads,
        int rounds,
        @Nullable String device,
        @Nullable Path ggml,
        boolean fetchGgml,
        boolean quick,
        @Nullable Path json) {

    /** What stands for the standard output where a file can be named. */
    public static final Path STANDARD_OUTPUT = Path.of("-");

    private static final List<Integer> USUAL_THREADS =
            Runtime.getRuntime().availableProcessors() == 1 ? List.of(1) : List.of(1, 2);

    public OpsBenchmarkRequest {
        ops = List.copyOf(ops);
        types = List.copyOf(types);
        threads = List.copyOf(threads);
    }

    /** Whether a device is measured against its own ceilings, and not compared with ggml. */
    public boolean measuresDeviceAlone() {
        return device != null && ggml == null && !fetchGgml;
    }

    /** The numbers of threads of a comparison. */
    public List<Integer> threadsToCompare() {
        return threads.isEmpty() ? USUAL_THREADS : threads;
    }

    /** Whether the standard output is to be JSON and nothing else. */
    public boolean printsJson() {
        return STANDARD_OUTPUT.equals(json);
    }
}
