package dev.stowage.testkit.golden;

import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.memory.BufferType;
import java.util.List;

/**
 * One run of ggml's graph allocator: a graph, the buffer types it was planned for, which of them each node and leaf was
 * to be stored in, and where ggml put everything.
 */
public final class AllocCase {

    private final String name;
    private final GoldenGraph tensors;
    private final List<BufferType> bufferTypes;
    private final int[] nodeBuffers;
    private final int[] leafBuffers;
    private final AllocExpectation expected;

    private AllocCase(JsonCursor document) {
        BufferTypeReader types = new BufferTypeReader();
        this.name = document.get("case").asString();
        this.bufferTypes = document.get("buffer_types").elements().stream()
                .<BufferType>map(types::read)
                .toList();
        this.tensors = GoldenGraph.read(document);
        this.nodeBuffers = buffers(document, "node_buffers", graph().nodeCount());
        this.leafBuffers = buffers(document, "leaf_buffers", graph().leafCount());
        this.expected = AllocExpectation.read(document.get("expect"), tensors, bufferTypes.size());
    }

    static AllocCase read(JsonCursor document) {
        return new AllocCase(document);
    }

    private int[] buffers(JsonCursor document, String member, int count) {
        return document.find(member).map(list -> indices(list, count)).orElseGet(() -> new int[count]);
    }

    private int[] indices(JsonCursor list, int count) {
        if (list.elements().size() != count) {
            throw list.malformed(
                    "expected " + count + " numbers, found " + list.elements().size());
        }
        return list.elements().stream()
                .mapToInt(index -> index.asInt(0, bufferTypes.size() - 1))
                .toArray();
    }

    public String name() {
        return name;
    }

    public Graph graph() {
        return tensors.graph();
    }

    /** The graph with the ids its tensors have in the file. */
    public GoldenGraph tensors() {
        return tensors;
    }

    /** The buffer types by buffer index; one that is listed twice is the same object. */
    public List<BufferType> bufferTypes() {
        return bufferTypes;
    }

    /** The buffer index of each node. */
    public int[] nodeBuffers() {
        return nodeBuffers.clone();
    }

    /** The buffer index of each leaf. */
    public int[] leafBuffers() {
        return leafBuffers.clone();
    }

    /** What ggml did. */
    public AllocExpectation expected() {
        return expected;
    }

    @Override
    public String toString() {
        return name;
    }
}
