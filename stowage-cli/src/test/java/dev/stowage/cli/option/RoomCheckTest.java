package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.DeviceMemory;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.NamedDecoder;
import dev.stowage.llm.fit.PlannedDevice;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoomCheckTest {
    private static final long OVERHEAD = 100L << 20;

    private final NamedDecoder model = new NamedDecoder(
            ModelShapes.transformer("small"), TransformerOptions.ofTokens(64).withContext(512));

    private static RoomCheck check(long free, long total) {
        return new RoomCheck(() -> new DeviceMemory(free, total), OVERHEAD);
    }

    private DevicePlan planOver(DeviceBudget... devices) {
        return DevicePlanner.over(List.of(devices)).plan(model);
    }

    private static DeviceBudget cpu() {
        return DeviceBudget.of(PlannedDevice.cpu("cpu", DeviceBudget.UNLIMITED));
    }

    @Test
    void theProcessItselfNeedsRoomToo() {
        DevicePlan plan = planOver(cpu());
        long needed = plan.loads().getFirst().total() + OVERHEAD;

        assertThatCode(() -> check(needed, 2 * needed).require(plan, "small.gguf"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> check(needed - 1, 2 * needed).require(plan, "small.gguf"))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("no room for small.gguf")
                .hasMessageContaining("100.00 MiB for the process itself")
                .hasMessageContaining("free of")
                .hasMessageContaining("--no-check");
    }

    @Test
    void aDeviceThatLacksMemoryIsNamed() {
        DevicePlan plan = DevicePlanner.over(List.of(DeviceBudget.of(PlannedDevice.gpu("gpu", 1L << 20)), cpu()))
                .withGpuLayers(99, model)
                .plan(model);

        assertThatThrownBy(() -> check(1L << 40, 1L << 40).require(plan, "small.gguf"))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("gpu needs ")
                .hasMessageContaining("has 1.00 MiB free");
    }

    @Test
    void memoryThatIsNotReportedIsNotJudged() {
        assertThatCode(() -> check(0, 0).require(planOver(cpu()), "small.gguf")).doesNotThrowAnyException();
    }
}
