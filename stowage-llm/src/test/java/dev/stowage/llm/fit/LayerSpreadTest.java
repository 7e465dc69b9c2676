package dev.stowage.llm.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayerSpreadTest {

    private static List<DeviceBudget> devices(long... memory) {
        List<DeviceBudget> devices = new ArrayList<>();
        for (int i = 0; i < memory.length; i++) {
            devices.add(DeviceBudget.of(PlannedDevice.gpu("gpu" + i, memory[i])));
        }
        return devices;
    }

    @Test
    void equalDevicesGetEqualShares() {
        assertThat(LayerSpread.over(32, devices(8, 8, 8, 8))).containsExactly(8, 8, 8, 8);
    }

    @Test
    void largerDevicesGetMore() {
        assertThat(LayerSpread.over(30, devices(24L << 30, 6L << 30))).containsExactly(24, 6);
    }

    @Test
    void devicesWithoutALimitShareEverything() {
        assertThat(LayerSpread.over(10, devices(DeviceBudget.UNLIMITED, 8, DeviceBudget.UNLIMITED)))
                .containsExactly(5, 0, 5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyPartIsGivenAndNoDeviceIsFurtherThanOneFromItsShare(long seed) {
        Random random = new Random(seed);
        long[] memory = random.longs(1 + random.nextInt(6), 1, 80L << 30).toArray();
        int parts = random.nextInt(120);
        int[] counts = LayerSpread.over(parts, devices(memory));
        double sum = 0;
        for (long each : memory) {
            sum += each;
        }
        assertThat(IntStream.of(counts).sum()).as("seed %d", seed).isEqualTo(parts);
        for (int device = 0; device < counts.length; device++) {
            assertThat(Math.abs(counts[device] - parts * memory[device] / sum))
                    .as("seed %d, device %d", seed, device)
                    .isLessThanOrEqualTo(1.0);
        }
    }

    @Test
    void moreThanTheModelHasStandForAllOfIt() {
        List<DeviceBudget> machine = devices(8L << 30, 8L << 30);
        machine.add(DeviceBudget.of(PlannedDevice.cpu("cpu", DeviceBudget.UNLIMITED)));
        Workload model = new NamedDecoder(
                ModelShapes.transformer("llama-3-1b"),
                TransformerOptions.ofTokens(64).withContext(512));
        DevicePlanner planner = DevicePlanner.over(machine);

        assertThat(planner.withGpuLayers(99, model).layers(model).layersOf(2)).isEmpty();
        assertThat(planner.withGpuLayers(99, model).layers(model).parts()).containsExactly(9, 8);
        assertThat(planner.withGpuLayers(4, model).layers(model).layersOf(0)).hasSize(2);
        assertThat(planner.withGpuLayers(0, model).layers(model).layersOf(2)).hasSize(16);
    }
}
