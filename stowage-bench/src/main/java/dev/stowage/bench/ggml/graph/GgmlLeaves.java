package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlAllocatorFunctions;
import dev.stowage.bench.ggml.GgmlBackendFunctions;
import dev.stowage.bench.ggml.GgmlMemoryFunctions;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The leaves of a mirror in memory of ggml's own: weights in that which repacks them, if ggml has some and knows a layout
 * for them, all others in plain memory.
 */
final class GgmlLeaves implements AutoCloseable {

    private static final String REPACKING = "REPACK";

    private final GgmlMirror mirror;
    private final Graph graph;
    private final MemorySegment backend;
    private final GgmlMemoryFunctions memory;
    private final GgmlBackendFunctions backends;
    private final GgmlAllocatorFunctions types;
    private final List<MemorySegment> buffers = new ArrayList<>();

    GgmlLeaves(GgmlMirror mirror, MemorySegment backend) {
        this.mirror = mirror;
        this.graph = mirror.graph();
        this.backend = backend;
        this.memory = mirror.library().memory();
        this.backends = mirror.library().backends();
        this.types = mirror.library().functions().allocators();
    }

    /** Places the leaves that ggml has a better layout for; returns whether there are any. */
    boolean repack() {
        for (MemorySegment type : memory.extraTypes(backend)) {
            if (types.name(type).contains(REPACKING) && repack(type)) {
                return true;
            }
        }
        return false;
    }

    private boolean repack(MemorySegment type) {
        List<Integer> weights =
                graphLeaves().filter(this::isOnlyMultiplied).boxed().toList();
        if (weights.isEmpty()) {
            return false;
        }
        place(type, weights);
        boolean found = false;
        for (int id : weights) {
            // Writing to a tensor this memory has no layout for would end the process.
            if (mirror.tensor(id).hasLayoutOfItsMemory() && readersAllow(id)) {
                found = true;
            } else {
                mirror.tensor(id).forgetMemory();
            }
        }
        return found;
    }

    private IntStream graphLeaves() {
        return IntStream.range(graph.nodeCount(), graph.size())
                .filter(id ->
                        graph.viewSource(id) == Graph.NO_ID && mirror.tensor(id).data() == 0);
    }

    /** Whether a leaf is a matrix that nothing but products read: the layout is made for that alone. */
    private boolean isOnlyMultiplied(int leaf) {
        boolean multiplied = false;
        for (int node = 0; node < graph.nodeCount(); node++) {
            int first = graph.firstSlot(node);
            for (int slot = first; slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) == leaf) {
                    boolean factor = slot == first && isProduct(graph.op(node));
                    if (!factor) {
                        return false;
                    }
                    multiplied = true;
                }
            }
            if (graph.viewSource(node) == leaf) {
                return false;
            }
        }
        return multiplied;
    }

    private static boolean isProduct(Op op) {
        return op == Op.MUL_MAT || op == Op.MUL_MAT_ID;
    }

    private boolean readersAllow(int leaf) {
        for (int node = 0; node < graph.nodeCount(); node++) {
            int first = graph.firstSlot(node);
            boolean reads = first < graph.endSlot(node) && graph.sourceAt(first) == leaf;
            if (reads && !backends.supports(backend, mirror.tensor(node))) {
                return false;
            }
        }
        return true;
    }

    /** Places in plain memory what has no place yet, and views in the memory of their sources. */
    void placeTheRest() {
        place(types.cpuBufferType(), graphLeaves().boxed().toList());
        for (int id = graph.nodeCount(); id < graph.size(); id++) {
            if (graph.viewSource(id) != Graph.NO_ID) {
                requireDone(id, backends.placeView(mirror.tensor(id)));
            }
        }
    }

    private void place(MemorySegment type, List<Integer> leaves) {
        long alignment = types.alignment(type);
        long size = 0;
        for (int id : leaves) {
            size += padded(type, id, alignment);
        }
        MemorySegment buffer = memory.allocate(type, size);
        if (buffer.equals(MemorySegment.NULL)) {
            throw new AllocationException(
                    "ggml has no " + size + " bytes for the leaves of " + graph, types.name(type), size, -1);
        }
        buffers.add(buffer);
        memory.useForWeights(buffer);
        long at = Math.ceilDiv(types.base(buffer), alignment) * alignment;
        for (int id : leaves) {
            requireDone(id, backends.place(buffer, mirror.tensor(id), MemorySegment.ofAddress(at)));
            at += padded(type, id, alignment);
        }
    }

    private long padded(MemorySegment type, int id, long alignment) {
        return Math.ceilDiv(memory.allocationSize(type, mirror.tensor(id)), alignment) * alignment;
    }

    private void requireDone(int id, int status) {
        if (status != 0) {
            throw DeviceException.of("ggml", "place", graph.tensor(id).describe(), "ggml's status is " + status);
        }
    }

    /** Writes every leaf. */
    void fill(Function<Tensor, MemorySegment> contents) {
        for (int id = graph.nodeCount(); id < graph.size(); id++) {
            if (graph.viewSource(id) == Graph.NO_ID) {
                memory.write(mirror.tensor(id), contents.apply(graph.tensor(id)));
            }
        }
    }

    @Override
    public void close() {
        buffers.forEach(backends::freeBuffer);
        buffers.clear();
    }
}
