package dev.stowage.cpu.program;

/**
 * Turns nodes of one op into tasks: looks at types, shapes and strides once, selects the code for them, and adds its
 * tasks. It may take only some of its op's nodes; the rest goes to the reference op.
 */
@FunctionalInterface
public interface OpKernel {

    /**
     * Adds the tasks of a node, none of whose tensors is empty.
     *
     * @return false if this kernel does not take such a node; it has added nothing then
     */
    boolean prepare(NodeBuilder node);
}
