package dev.stowage.cli.bench;

import java.io.PrintWriter;

/**
 * What {@code stowage bench ops} runs. It is found by {@link java.util.ServiceLoader}, because what compares with ggml
 * is not part of the published command: the launcher of a checkout adds it when it is needed.
 */
public interface OpsBenchmark {

    /**
     * Measures and prints what was found.
     *
     * @param out where the results go
     * @param err where progress and remarks go
     * @return whether all results were as exact as they have to be
     */
    boolean run(OpsBenchmarkRequest request, PrintWriter out, PrintWriter err);
}
