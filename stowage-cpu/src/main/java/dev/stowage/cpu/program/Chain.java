package dev.stowage.cpu.program;

import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import java.util.List;

/** What a fusion may ask about the nodes at hand, and the way to add what it makes of them. */
public final class Chain {

    private final Graph graph;
    private final ProgramBuilder program;
    private final int[] readers;

    Chain(Graph graph, ProgramBuilder program, int[] readers) {
        this.graph = graph;
        this.program = program;
        this.readers = readers;
    }

    /** Whether there is such a node, and it is of that op. */
    public boolean isOp(int node, Op op) {
        return node < graph.nodeCount() && graph.node(node).op() == op;
    }

    /**
     * Whether nobody but {@code reader} reads the result of {@code node}, so that it need not be written: it is no output
     * of the graph, no other node reads it or is a view of it, and it is itself no view of something that stays.
     */
    public boolean isReadOnlyBy(int node, int reader) {
        if (readers[node] != 1
                || graph.isOutput(node)
                || graph.isReadLater(node)
                || graph.node(node).isView()) {
            return false;
        }
        for (int slot = graph.firstSlot(reader); slot < graph.endSlot(reader); slot++) {
            if (graph.sourceAt(slot) == node) {
                return true;
            }
        }
        return false;
    }

    /**
     * The node that alone reads the result of {@code node}, as it is or through views right behind it; none if the result
     * or a view of it is an output, is read by others too, or is itself a view of something that stays.
     *
     * @return the number of the reader, with nothing but views between the two; {@link Graph#NO_ID} if there is none
     */
    public int readerThroughViews(int node) {
        int reader = node + 1;
        while (reader < graph.nodeCount() && graph.isViewOp(reader) && isFirstOperand(reader - 1, reader)) {
            reader++;
        }
        if (reader == graph.nodeCount()
                || graph.isViewOp(reader)
                || graph.node(node).isView()) {
            return Graph.NO_ID;
        }
        for (int link = node; link < reader; link++) {
            boolean isUsedOnlyHere = readers[link] == uses(link, link + 1, reader) && uses(link, link + 1, reader) > 0;
            if (!isUsedOnlyHere || graph.isOutput(link) || graph.isReadLater(link)) {
                return Graph.NO_ID;
            }
        }
        return reader;
    }

    private boolean isFirstOperand(int operand, int node) {
        return graph.firstSlot(node) < graph.endSlot(node) && graph.sourceAt(graph.firstSlot(node)) == operand;
    }

    /** How many slots of some nodes read a node, or are views of it. */
    private int uses(int node, int from, int through) {
        int uses = 0;
        for (int user = from; user <= through; user++) {
            for (int slot = graph.firstSlot(user); slot < graph.endSlot(user); slot++) {
                uses += graph.sourceAt(slot) == node ? 1 : 0;
            }
            uses += graph.viewSource(user) == node ? 1 : 0;
        }
        return uses;
    }

    /**
     * Whether a result can be written row by row while an operand is read row by row: whether they lie apart, or one
     * exactly where the other lies. A planner sees to that for one node; for nodes that become one it may have given the
     * last result the place of the first operand.
     */
    public static boolean canStream(Operand from, Operand to) {
        boolean same = from.address == to.address && from.layout().equals(to.layout());
        return same || areApart(from, to);
    }

    /** Whether two tensors have no byte in common. */
    public static boolean areApart(Operand a, Operand b) {
        return a.address + a.tensor.byteSize() <= b.address || b.address + b.tensor.byteSize() <= a.address;
    }

    /** A node to add tasks to, or empty if its operands lie where kernels do not reach. */
    public List<NodeBuilder> open(int first, int count) {
        NodeBuilder[] opened = new NodeBuilder[count];
        for (int i = 0; i < count; i++) {
            Step step = program.step(first + i);
            if (!ProgramBuilder.isReachable(step)) {
                return List.of();
            }
            opened[i] = new NodeBuilder(program, step);
        }
        return List.of(opened);
    }
}
