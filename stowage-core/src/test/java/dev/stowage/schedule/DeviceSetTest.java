package dev.stowage.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.BufferType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceSetTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final DeviceSet devices = DeviceSet.of(gpu, cpu);

    @Test
    void keepsTheOrderOfPriority() {
        assertThat(devices.count()).isEqualTo(2);
        assertThat(devices.device(0)).isSameAs(gpu);
        assertThat(devices.device(1)).isSameAs(cpu);
        assertThat(devices.last()).isEqualTo(1);
        assertThat(devices.name(0)).isEqualTo("gpu");
        assertThat(devices).hasToString("[gpu, cpu]");
    }

    @Test
    void storesResultsInTheMemoryADevicePrefers() {
        assertThat(devices.bufferType(0)).isSameAs(gpu.bufferType());
        assertThat(devices.bufferTypes()).containsExactly(gpu.bufferType(), cpu.bufferType());
    }

    @Test
    void storesResultsInTheMemoryTheCallerPrefers() {
        gpu.readingMemoryOf(cpu);

        DeviceSet onTheHost = DeviceSet.of(List.of(gpu, cpu), List.of(cpu.bufferType(), cpu.bufferType()));

        assertThat(onTheHost.bufferType(0)).isSameAs(cpu.bufferType());
    }

    @Test
    void refusesMemoryThatADeviceCannotUse() {
        List<BufferType> types = List.of(cpu.bufferType(), cpu.bufferType());

        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> DeviceSet.of(List.of(gpu, cpu), types))
                .withMessageContainingAll("gpu", "host", "gpu memory");
    }

    @Test
    void refusesToBeEmpty() {
        assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(DeviceSet::of);
    }

    @Test
    void refusesMemoryForOnlySomeDevices() {
        List<BufferType> types = List.of(gpu.bufferType());

        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> DeviceSet.of(List.of(gpu, cpu), types))
                .withMessageContainingAll("2 devices", "1 kind");
    }

    @Test
    void knowsWhichDevicesWorkInTheSameMemory() {
        FakeDevice blas = FakeDevice.called("blas").workingInMemoryOf(cpu);
        DeviceSet sharing = DeviceSet.of(gpu, blas, cpu);

        assertThat(List.of(
                        sharing.firstWithSameMemory(0), sharing.firstWithSameMemory(1), sharing.firstWithSameMemory(2)))
                .containsExactly(0, 1, 1);
    }

    @Test
    void numbersItsDevices() {
        assertThat(devices.numberOf(gpu)).isZero();
        assertThat(devices.numberOf(cpu)).isEqualTo(1);
    }

    @Test
    void hasNoNumberForADeviceThatIsNotInIt() {
        FakeDevice foreign = FakeDevice.called("foreign");

        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> devices.numberOf(foreign))
                .withMessageContainingAll("foreign", "gpu", "cpu");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2, Integer.MAX_VALUE})
    void hasNoDeviceBeyondItsNumber(int number) {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> devices.device(number))
                .withMessageContainingAll(Integer.toString(number), "2");
        assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(() -> devices.bufferType(number));
        assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(() -> devices.firstWithSameMemory(number));
    }

    @Test
    void isNotChangedThroughItsLists() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> devices.bufferTypes().clear());
    }
}
