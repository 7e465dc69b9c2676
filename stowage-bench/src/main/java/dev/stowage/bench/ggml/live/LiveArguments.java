package dev.stowage.bench.ggml.live;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.tensor.Op;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a live comparison is asked for on the command line: how many random graphs, from which seed on.
 *
 * @param worker the piece a worker starts with; null in the process that starts the workers
 * @param graphs how many random graphs
 * @param seed the first seed
 */
public record LiveArguments(@Nullable Integer worker, int graphs, long seed) {

    private static final int DEFAULT_GRAPHS = 2_000;

    public static LiveArguments of(String... arguments) {
        Integer worker = CrashIsolatedRun.firstPiece(arguments);
        int skipped = worker == null ? 0 : 2;
        return new LiveArguments(
                worker,
                arguments.length > skipped ? Integer.parseInt(arguments[skipped]) : DEFAULT_GRAPHS,
                arguments.length > skipped + 1 ? Long.parseLong(arguments[skipped + 1]) : 0);
    }

    /** The same, as workers are given it. */
    public List<String> forWorkers() {
        return List.of(Integer.toString(graphs), Long.toString(seed));
    }

    /** Says which ggml it is and which ops are left out because of it. */
    public static void announce(GgmlLibrary library, PrintStream out) {
        out.println(library);
        Set<Op> different = library.ops().differentInPlace();
        if (!different.isEmpty()) {
            out.println("left out, since this ggml has another rule about working in place for them: " + different);
        }
    }
}
