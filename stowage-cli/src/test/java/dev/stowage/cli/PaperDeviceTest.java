package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cli.DeviceSpec.Kind;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class PaperDeviceTest {
    private final PaperDevice gpu = new PaperDevice(new DeviceSpec(Kind.GPU, "gpu0", 1L << 30));
    private final PaperDevice other = new PaperDevice(new DeviceSpec(Kind.GPU, "gpu1", 1L << 30));
    private final PaperDevice cpu = new PaperDevice(new DeviceSpec(Kind.CPU, "cpu", DeviceSpec.UNLIMITED));

    private static Tensor product(long rows) {
        GraphBuilder builder = new GraphBuilder();
        return builder.mulMat(
                builder.weight("w", ElementType.F16, 64, 64), builder.input("x", ElementType.F32, 64, rows));
    }

    private static Tensor rows(long rows) {
        GraphBuilder builder = new GraphBuilder();
        return builder.getRows(
                builder.weight("table", ElementType.F16, 64, 1000), builder.input("ids", ElementType.I32, rows));
    }

    @Test
    void aGpuReadsItsOwnMemoryOnly() {
        assertThat(gpu.supportsBufferType(gpu.bufferType())).isTrue();
        assertThat(gpu.supportsBufferType(other.bufferType())).isFalse();
        assertThat(gpu.supportsBufferType(cpu.bufferType())).isFalse();
    }

    @Test
    void theProcessorReadsHostMemoryWhoeverMadeIt() {
        assertThat(cpu.supportsBufferType(cpu.bufferType())).isTrue();
        assertThat(cpu.supportsBufferType(HostBufferType.standard())).isTrue();
        assertThat(cpu.supportsBufferType(gpu.bufferType())).isFalse();
    }

    @Test
    void aGpuWantsProductsOfManyRowsAndTheProcessorNone() {
        assertThat(gpu.offloadsOp(product(32))).isTrue();
        assertThat(gpu.offloadsOp(product(31))).isFalse();
        assertThat(cpu.offloadsOp(product(512))).isFalse();
    }

    @Test
    void lookingUpRowsIsNeverWorthATable() {
        assertThat(gpu.offloadsOp(rows(512))).isFalse();
    }

    @Test
    void gpusCopyAmongThemselves() {
        assertThat(gpu.copiesAsyncFrom(other)).isTrue();
        assertThat(gpu.copiesAsyncFrom(cpu)).isFalse();
        assertThat(cpu.copiesAsyncFrom(gpu)).isFalse();
    }

    @Test
    void paperComputesNothing() {
        assertThatThrownBy(gpu::open).isInstanceOf(DeviceException.class).hasMessageContaining("on paper");
    }
}
