package dev.stowage.device;

import dev.stowage.graph.Graph;

/**
 * A graph made ready to run many times on one backend: kernels chosen, work divided, scratch memory taken. The tensors
 * of the graph must keep their places from {@link Backend#prepare} or {@link #update} on.
 *
 * <p>Belongs to its backend and follows its rules on threads; closing the backend closes it.
 */
public interface PreparedGraph extends AutoCloseable {

    /** The graph that runs. */
    Graph graph();

    /**
     * Makes another graph of the same make ready, cheaper than preparing it from nothing where the backend can. Runs that
     * were handed in before still compute the one before.
     *
     * @throws dev.stowage.error.StowageException if it cannot be prepared; the one before stays ready then
     */
    void update(Graph newGraph);

    /** Hands the graph in to run; it is done when the backend has been synchronised. */
    void computeAsync();

    /**
     * Gives back what preparing took; closing twice is fine. So is closing while runs that were handed in are still under
     * way: they come to their end, and what they need is kept until then.
     */
    @Override
    void close();
}
