package dev.stowage.cli.bench;

import java.io.PrintWriter;

/**
 * What {@code stowage bench make-model} runs. It is found by {@link java.util.ServiceLoader}, because models of random
 * numbers are for measuring and testing, and not part of the published command.
 */
public interface ModelMaker {

    /**
     * Makes a model and prints what it is.
     *
     * @param out where the result goes
     * @param err where progress goes
     */
    void make(ModelMakerRequest request, PrintWriter out, PrintWriter err);
}
