package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class PreferredWeightBufferTest {

    private static final BufferType PACKED = MeasuringBufferType.of("packed", HostBufferType.STANDARD_ALIGNMENT);

    /** Keeps quantised weights in memory that only products can read. */
    private record PackingDevice(Device other) implements Device {

        @Override
        public String name() {
            return "packing";
        }

        @Override
        public String description() {
            return "packs weights";
        }

        @Override
        public DeviceType type() {
            return other.type();
        }

        @Override
        public DeviceMemory memory() {
            return other.memory();
        }

        @Override
        public BufferType bufferType() {
            return other.bufferType();
        }

        @Override
        public BufferType weightsType(Layout layout) {
            return layout.type().isQuantized() ? PACKED : bufferType();
        }

        @Override
        public OpSupport supports(Tensor node) {
            boolean packed = node.source(0).isPlaced()
                    && Buffer.of(node.source(0)).type().equals(PACKED);
            return packed && node.op() != Op.MUL_MAT ? OpSupport.no("it is packed") : OpSupport.yes();
        }

        @Override
        public boolean supportsBufferType(BufferType type) {
            return true;
        }

        @Override
        public Backend open(BackendOptions options) {
            return other.open(options);
        }
    }

    private final Device packing = new PackingDevice(DeviceRegistry.load().device("reference"));
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 32, 2);
    private final Tensor multiplied = b.weight("multiplied", ElementType.Q4_0, 32, 8);
    private final Tensor lookedUp = b.weight("looked up", ElementType.Q4_0, 32, 8);
    private final Tensor plain = b.weight("plain", ElementType.F32, 32, 8);
    private final Graph graph =
            b.build(b.mulMat(multiplied, x), b.mulMat(plain, x), b.getRows(lookedUp, b.input("i", ElementType.I32, 3)));

    @Test
    void onlyWeightsWhoseReadersKnowTheMemoryAreKeptThere() {
        List<Buffer> buffers = PreferredWeightBuffer.place(packing, graph);

        assertThat(Buffer.of(multiplied).type()).isEqualTo(PACKED);
        // It was stored there for the question only, and can be given other memory now.
        assertThat(Buffer.of(lookedUp).isClosed()).isTrue();
        assertThat(plain.isPlaced()).isFalse();
        assertThat(x.isPlaced()).isFalse();
        buffers.forEach(Buffer::close);
    }

    @Test
    void aDeviceWithoutSuchMemoryHasOneWayOnly() {
        assertThat(PreferredWeightBuffer.isThere(packing, graph)).isTrue();
        assertThat(PreferredWeightBuffer.isThere(DeviceRegistry.load().device("reference"), graph))
                .isFalse();
    }
}
