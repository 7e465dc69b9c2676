package dev.stowage.llm.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class PlannedDeviceTest {
    private final PlannedDevice gpu = PlannedDevice.gpu("gpu0", 1L << 30);
    private final PlannedDevice other = PlannedDevice.gpu("gpu1", 1L << 30);
    private final PlannedDevice cpu = PlannedDevice.cpu("cpu", DeviceBudget.UNLIMITED);

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
    void theProcessorReadsHostMemoryOfAnyDevice() {
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
    void aPlannedDeviceCannotBeOpened() {
        assertThatThrownBy(gpu::open).isInstanceOf(DeviceException.class).hasMessageContaining("does not exist");
    }

    @Test
    void itsBudgetIsAllItsMemory() {
        assertThat(DeviceBudget.of(gpu).bytes()).isEqualTo(1L << 30);
        assertThat(DeviceBudget.of(cpu).isLimited()).isFalse();
    }

    @Test
    void aDeviceWithoutAByteIsRefused() {
        assertThatThrownBy(() -> PlannedDevice.gpu("gpu", 0))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("'gpu' must have at least 1 byte");
        assertThatThrownBy(() -> new DeviceBudget(gpu, -1))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("'gpu0' must be at least 0 bytes, not -1");
    }
}
