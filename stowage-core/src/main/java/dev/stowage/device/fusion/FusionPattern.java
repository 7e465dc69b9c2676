package dev.stowage.device.fusion;

/**
 * Consecutive nodes of a graph that can be computed as one, because the intermediate results that are not written are
 * used by no other node. Decided by the graph alone; whether its kernels support the operands is decided by the
 * backend. The patterns of this library are in {@link FusionPatterns}, and a backend may have others of its own.
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
