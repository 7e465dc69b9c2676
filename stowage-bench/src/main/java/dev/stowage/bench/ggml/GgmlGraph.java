package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A graph inside ggml. Nodes can be added through ggml's interface, leaves only by writing its C struct, of which the
 * beginning is described here. {@link GgmlStructCheck} verifies it.
 */
public record GgmlGraph(MemorySegment struct) {

    private static final StructLayout BEGINNING = MemoryLayout.structLayout(
            JAVA_INT.withName("size"),
            JAVA_INT.withName("n_nodes"),
            JAVA_INT.withName("n_leafs"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("nodes"),
            ADDRESS.withName("grads"),
            ADDRESS.withName("grad_accs"),
            ADDRESS.withName("leafs"));

    private static final long SIZE = offset("size");
    private static final long N_NODES = offset("n_nodes");
    private static final long N_LEAFS = offset("n_leafs");
    private static final long NODES = offset("nodes");
    private static final long LEAFS = offset("leafs");

    private static long offset(String field) {
        return BEGINNING.byteOffset(PathElement.groupElement(field));
    }

    @SuppressWarnings("restricted")
    static GgmlGraph at(MemorySegment address) {
        return new GgmlGraph(address.reinterpret(BEGINNING.byteSize()));
    }

    /** How many nodes, and how many leaves, there is room for. */
    int size() {
        return struct.get(JAVA_INT, SIZE);
    }

    int nodeCount() {
        return struct.get(JAVA_INT, N_NODES);
    }

    public int leafCount() {
        return struct.get(JAVA_INT, N_LEAFS);
    }

    MemorySegment node(int index) {
        return array(NODES).getAtIndex(ADDRESS, index);
    }

    MemorySegment leaf(int index) {
        return array(LEAFS).getAtIndex(ADDRESS, index);
    }

    /** Appends a leaf. */
    public void addLeaf(GgmlTensor leaf) {
        int index = leafCount();
        array(LEAFS).setAtIndex(ADDRESS, index, leaf.struct());
        struct.set(JAVA_INT, N_LEAFS, index + 1);
    }

    /** An array of the graph, bounded by its room so that a wrong index cannot reach beyond. */
    @SuppressWarnings("restricted")
    private MemorySegment array(long field) {
        return struct.get(ADDRESS, field).reinterpret(size() * ADDRESS.byteSize());
    }
}
