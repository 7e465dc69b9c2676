package dev.stowage.llm.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.models.LayerPlacement;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerOptions;
import dev.stowage.schedule.ScheduleOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayerFillTest {
    private static final int LAYERS = 16;

    private final Workload model = new NamedDecoder(
            ModelShapes.transformer("llama-3-1b"),
            TransformerOptions.ofTokens(64).withContext(512));

    private static List<DeviceBudget> devices(long... memory) {
        List<DeviceBudget> devices = new ArrayList<>();
        for (int i = 0; i < memory.length; i++) {
            devices.add(DeviceBudget.of(PlannedDevice.gpu("gpu" + i, memory[i])));
        }
        devices.add(DeviceBudget.of(PlannedDevice.cpu("cpu", DeviceBudget.UNLIMITED)));
        return devices;
    }

    private DevicePlan fill(List<DeviceBudget> devices) {
        return DevicePlanner.over(devices).plan(model);
    }

    private DevicePlan plan(List<DeviceBudget> devices, int... parts) {
        return DevicePlan.of(model, devices, LayerPlacement.inRow(LAYERS, parts), ScheduleOptions.defaults());
    }

    @Test
    void theFirstDeviceTakesAllIfItCan() {
        assertThat(fill(devices(8L << 30, 8L << 30)).layers().parts()).containsExactly(LAYERS + 1, 0);
    }

    @Test
    void theSecondDeviceTakesWhatTheFirstHasNoRoomFor() {
        DevicePlan plan = fill(devices(1L << 30, 8L << 30));
        assertThat(plan.layers().parts()[0]).isBetween(1, LAYERS);
        assertThat(IntStream.of(plan.layers().parts()).sum()).isEqualTo(LAYERS + 1);
    }

    @Test
    void whereSeveralAreNeededTheyShareInProportionToTheirMemory() {
        long whole = plan(devices(8L << 30), LAYERS + 1).loads().getFirst().total();
        long half = whole * 6 / 10;
        assertThat(fill(devices(half, half, half, half)).layers().parts()).containsExactly(4, 5, 4, 4);
    }

    @Test
    void theProcessorTakesLayersThatNoOtherDeviceHasRoomFor() {
        DevicePlan plan = fill(devices(1L << 30));
        assertThat(plan.layers().layersOf(1)).isNotEmpty().startsWith(0);
        assertThat(plan.fits()).isTrue();
    }

    @Test
    void aDeviceWithoutRoomForAnythingGetsNothing() {
        assertThat(fill(devices(1, 8L << 30)).layers().parts()).containsExactly(0, LAYERS + 1);
    }

    @Test
    void devicesWithoutALimitTakeAll() {
        assertThat(fill(devices(DeviceBudget.UNLIMITED)).layers().parts()).containsExactly(LAYERS + 1);
    }

    @Test
    void exactlyEnoughIsEnoughAndAByteLessIsNot() {
        List<DeviceBudget> roomy = devices(8L << 30);
        long needed = plan(roomy, LAYERS + 1).loads().getFirst().total();
        assertThat(fill(devices(needed)).layers().parts()).containsExactly(LAYERS + 1);
        assertThat(fill(devices(needed - 1)).layers().parts()[0]).isLessThan(LAYERS + 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void everyDeviceFitsAndHasNoRoomForOneMore(long seed) {
        Random random = new Random(seed);
        List<DeviceBudget> devices = devices(random.nextLong(1L << 30), random.nextLong(2L << 30));
        DevicePlan plan = fill(devices);
        assertThat(plan.fits()).as("seed %d", seed).isTrue();
        int[] parts = plan.layers().parts();
        for (int device = 0; device < 2 && IntStream.of(parts).sum() <= LAYERS; device++) {
            int[] more = parts.clone();
            more[device]++;
            assertThat(plan(devices, more).fits())
                    .as(
                            "seed %d: one more on device %d of %s",
                            seed, device, plan.layers().layersOn())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void fillingTwiceGivesTheSame(long seed) {
        Random random = new Random(seed);
        List<DeviceBudget> devices = devices(random.nextLong(1L << 30), random.nextLong(2L << 30));
        assertThat(fill(devices).loads())
                .as("seed %d", seed)
                .isEqualTo(fill(devices).loads());
    }
}
