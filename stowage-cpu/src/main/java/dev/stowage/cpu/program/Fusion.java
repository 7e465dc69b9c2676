package dev.stowage.cpu.program;

import dev.stowage.graph.Graph;

/**
 * Computes several nodes in a row as one, where that saves passes over memory. The results that are left out must be read
 * by nobody else; {@link Chain} tells.
 */
public interface Fusion {

    /** The name it is switched off by. */
    String name();

    /**
     * Prepares the nodes that begin at the given one together, if they are of the kind this fusion takes.
     *
     * @return how many nodes were prepared; 0 if none
     */
    int prepare(Graph graph, int node, Chain chain);
}
