package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** A use of a device that makes every request there is: a run, and what a run does not need. */
final class EveryRequest {

    /** More than is collected before it is sent. */
    private static final int LONG_BYTES = 80_000;

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 8, 2);
    private final Tensor sum = b.add(x, b.tensor(ElementType.F32, 8, 2)).asOutput();
    private final Graph graph = b.build(sum);

    /** Uses the device, and waits for the last reply. Returns what was read: every byte is the server's own. */
    byte[] on(RpcDevice device) {
        DeviceMemory memory = device.memory();
        assertThat(memory.free()).isBetween(0L, memory.total());
        byte[] sums = new byte[64];
        try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                Backend backend = device.open();
                Buffer buffer = device.bufferType().allocate(1 << 17)) {
            BoundGraph bound = allocator.bind(graph);
            backend.setAsync(bound.tensor(x), 0, MemorySegment.ofArray(new float[16]));
            try (PreparedGraph prepared = backend.prepare(bound)) {
                prepared.computeAsync();
                prepared.computeAsync();
            }
            backend.getAsync(bound.tensor(sum), 0, MemorySegment.ofArray(sums));
            backend.synchronize();
            moveAbout(device, buffer);
        }
        // Freed buffers have replies too.
        device.connection().settle();
        return sums;
    }

    private static void moveAbout(RpcDevice device, Buffer buffer) {
        Tensor quantised = Tensor.leaf(Layout.contiguous(ElementType.Q8_0, 32, 4));
        assertThat(device.bufferType().allocationSize(quantised)).isBetween(quantised.byteSize(), 1L << 45);
        buffer.clear((byte) 1);
        buffer.initialize(quantised, 0);
        BoundTensor weight = BoundTensor.at(quantised, buffer, 0);
        weight.memset(8, 16, (byte) 1);
        device.connection().keptWeights().ask(weight, 0, 7);
        BoundTensor from = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.F32, 16)), buffer, 0);
        BoundTensor to = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.F32, 16)), buffer, 1024);
        ((RpcBuffer) buffer).copyThere(from, to);
        BoundTensor much = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.I8, LONG_BYTES)), buffer, 2048);
        much.set(0, MemorySegment.ofArray(new byte[LONG_BYTES]));
        to.get(0, MemorySegment.ofArray(new float[16]));
    }
}
