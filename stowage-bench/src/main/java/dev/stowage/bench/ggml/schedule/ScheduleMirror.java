package dev.stowage.bench.ggml.schedule;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.stowage.bench.ggml.GgmlGraph;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlSchedulerFunctions;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.bench.ggml.graph.GgmlMirror;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A graph of ours inside ggml for its scheduler: what is in a buffer of ours is in one of ggml's with a kind of
 * memory of the same name and the same usage. ggml changes the graph that it schedules; {@link #restore()} makes it as
 * it was, as if the graph had been built anew.
 *
 * <p>Close it before the devices. Belongs to one thread.
 */
public final class ScheduleMirror implements AutoCloseable {

    private final GgmlNoOpDevices devices;
    private final GgmlMirror mirror;
    private final List<MemorySegment> buffers = new ArrayList<>();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment tensors;
    private final MemorySegment pristine;
    private final Map<Long, Integer> ids = new HashMap<>();

    private ScheduleMirror(GgmlNoOpDevices devices, Graph graph) {
        this.devices = devices;
        this.mirror = GgmlMirror.of(devices.library(), graph, _ -> false);
        this.tensors = arena.allocate(ADDRESS, graph.size());
        this.pristine = arena.allocate(GgmlTensor.LAYOUT.byteSize() * graph.size(), Long.BYTES);
        Map<Buffer, MemorySegment> known = new HashMap<>();
        for (int id = 0; id < graph.size(); id++) {
            tensors.setAtIndex(ADDRESS, id, mirror.tensor(id).struct());
            ids.put(mirror.tensor(id).struct().address(), id);
            if (graph.viewSource(id) == Graph.NO_ID) {
                place(id, known);
            }
        }
        for (int id = 0; id < graph.size(); id++) {
            int source = graph.viewSource(id);
            if (source != Graph.NO_ID && mirror.tensor(source).data() != 0) {
                mirror.tensor(id)
                        .setData(mirror.tensor(source).data() + graph.tensor(id).viewOffset());
            }
        }
        devices.library().noOps().save(tensors, graph.size(), GgmlTensor.LAYOUT.byteSize(), pristine);
    }

    /** Mirrors a graph: what has memory of its own in ours has it there too. */
    public static ScheduleMirror of(GgmlNoOpDevices devices, Graph graph) {
        return new ScheduleMirror(devices, graph);
    }

    private void place(int id, Map<Buffer, MemorySegment> known) {
        Tensor ours = mirror.graph().tensor(id);
        if (!ours.isPlaced()) {
            return;
        }
        GgmlLibrary library = devices.library();
        MemorySegment buffer = known.computeIfAbsent(Buffer.of(ours), this::newBuffer);
        long base = library.functions().allocators().base(buffer);
        MemorySegment address = MemorySegment.ofAddress(base + ours.storageOffset());
        int status = library.backends().place(buffer, mirror.tensor(id), address);
        if (status != 0) {
            throw DeviceException.of("ggml", "place", ours.describe(), "ggml's status is " + status);
        }
    }

    private MemorySegment newBuffer(Buffer ours) {
        GgmlSchedulerFunctions functions = devices.library().schedulers();
        MemorySegment type = devices.type(ours.type().name());
        // An empty buffer of ggml's has no address, and nothing can be placed in it.
        MemorySegment buffer = functions.allocateBuffer(type, Math.max(1, ours.size()));
        functions.setUsage(buffer, code(ours.usage()));
        buffers.add(buffer);
        return buffer;
    }

    /** ggml's number for what a buffer is for. */
    private static int code(BufferUsage usage) {
        return switch (usage) {
            case ANY -> 0;
            case WEIGHTS -> 1;
            case COMPUTE -> 2;
        };
    }

    /** Makes the graph as it was before ggml changed it. */
    public void restore() {
        devices.library().noOps().restore(tensors, ids.size(), GgmlTensor.LAYOUT.byteSize(), pristine);
    }

    /** The graph that is mirrored. */
    public Graph graph() {
        return mirror.graph();
    }

    GgmlGraph mirrored() {
        return mirror.mirrored();
    }

    GgmlTensor tensor(int id) {
        return mirror.tensor(id);
    }

    /** The id of the tensor at an address, if it is one of the graph's. */
    Optional<Integer> id(long address) {
        return Optional.ofNullable(ids.get(address));
    }

    @Override
    public void close() {
        mirror.close();
        buffers.forEach(devices.library().backends()::freeBuffer);
        buffers.clear();
        arena.close();
    }
}
