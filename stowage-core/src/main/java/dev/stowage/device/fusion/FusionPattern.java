package dev.stowage.device.fusion;

/**
 * Consecutive nodes of a graph that can be computed as one, because the results in between that are left out are used by
 * nothing else. Judged by the graph alone; whether its kernels take the operands is for a backend to say. The patterns of
 * this library are in {@link FusionPatterns}, and a backend may have others of its own.
 */
public interface FusionPattern {

    /** A name such as {@code rms-norm-mul}, for settings and messages. */
    String name();

    /**
     * How many nodes from the given one on the pattern covers.
     *
     * @return at least 2, or 0 if it does not begin at that node
     */
    int length(ResultUses uses, int node);
}
