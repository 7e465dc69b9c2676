package dev.stowage.cuda;

import dev.stowage.cuda.memory.PlainBuffer;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tensors of the same layouts over the same bytes as those of a bound graph, in memory that the reference can reach. */
final class DeviceMemoryAliases {

    /** A graph of one node, and the device memory it touches. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Node(BoundGraph graph, long... ranges) {}

    private final RecordingDriver driver;
    private final BoundGraph bound;
    private final Graph graph;
    private final @Nullable Tensor[] aliases;
    private final Map<Buffer, Buffer> hostBuffers = new HashMap<>();
    private final List<Long> ranges = new ArrayList<>();

    DeviceMemoryAliases(RecordingDriver driver, BoundGraph bound) {
        this.driver = driver;
        this.bound = bound;
        this.graph = bound.graph();
        this.aliases = new Tensor[graph.size()];
    }

    Node node(int node) {
        Tensor original = graph.node(node);
        Tensor.Builder alias = Tensor.builder(original.layout()).op(original.op(), original.parameters());
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID) {
                alias.sourceAt(slot - graph.firstSlot(node), alias(source));
            }
        }
        Tensor result = finished(node, alias);
        BoundGraph one = BoundGraph.of(Graph.listed(List.of(result), List.of()));
        return new Node(one, ranges.stream().mapToLong(Long::longValue).toArray());
    }

    private Tensor alias(int id) {
        @Nullable Tensor known = aliases[id];
        return known != null
                ? known
                : finished(id, Tensor.builder(graph.tensor(id).layout()));
    }

    private Tensor finished(int id, Tensor.Builder alias) {
        Tensor original = graph.tensor(id);
        alias.name(graph.label(id));
        if (graph.viewSource(id) != Graph.NO_ID) {
            alias.viewOf(alias(graph.viewSource(id)), original.viewOffset());
        }
        Tensor made = alias.build();
        if (!made.isView()) {
            hostBuffers.computeIfAbsent(bound.buffer(id), this::hostBuffer).place(made, bound.offset(id));
        }
        aliases[id] = made;
        return made;
    }

    /** The memory is kept by the lease of a run, so that the alias does not keep it. */
    @SuppressWarnings("restricted") // by address, as a kernel does
    private Buffer hostBuffer(Buffer buffer) {
        PlainBuffer device = (PlainBuffer) buffer;
        if (device.size() == 0) {
            return HostBuffer.over(MemorySegment.NULL, 1);
        }
        MemorySegment bytes = driver.deviceMemory(device.deviceAddress());
        ranges.add(bytes.address());
        ranges.add(bytes.byteSize());
        return HostBuffer.over(MemorySegment.ofAddress(bytes.address()).reinterpret(bytes.byteSize()), 1);
    }
}
