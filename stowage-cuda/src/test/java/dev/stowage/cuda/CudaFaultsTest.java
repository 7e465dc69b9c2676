package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Device;
import dev.stowage.device.fault.FaultInjector;
import dev.stowage.device.fault.FaultInjector.Failure;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.memory.Buffer;
import org.junit.jupiter.api.Test;

/** The driver that fails on purpose, over one that records. */
class CudaFaultsTest {

    private static final long BYTES = 1000;

    private final RecordingDriver driver = new RecordingDriver(1 << 20);
    private final FaultInjector faults = new CudaFaults(() -> driver, new ReferenceCompiler(driver));

    private Device device() {
        return faults.provider().devices().getFirst();
    }

    @Test
    void isFoundAsAService() {
        assertThat(CudaFaults.class.getModule().getDescriptor().provides())
                .anyMatch(provided -> provided.service().equals(FaultInjector.class.getName())
                        && provided.providers().contains(CudaFaults.class.getName()));
    }

    @Test
    void callsAreCountedAndPassedOn() {
        Device device = device();
        device.bufferType().allocate(BYTES).close();
        assertThat(faults.calls()).isEqualTo(driver.calls().size());
        assertThat(driver.calls()).contains("cuMemAlloc", "cuMemFree");
        faults.provider().close();
        assertThat(driver.leaks()).isEmpty();
    }

    @Test
    void oneCallFailsAndTheNextWorks() {
        Device device = device();
        device.memory();
        faults.fail(faults.calls(), Failure.OUT_OF_MEMORY);
        assertThatThrownBy(() -> device.bufferType().allocate(BYTES)).isInstanceOf(AllocationException.class);
        assertThat(faults.disarm()).isEqualTo("memAlloc");
        device.bufferType().allocate(BYTES).close();
        assertThat(device.lossCause()).isEmpty();
        faults.provider().close();
        assertThat(driver.leaks()).isEmpty();
    }

    @Test
    void whatIsGivenBackIsGivenBackThoughTheCallFails() {
        Device device = device();
        Buffer buffer = device.bufferType().allocate(BYTES);
        long before = device.memory().free();
        faults.fail(faults.calls(), Failure.OUT_OF_MEMORY);
        buffer.close();
        assertThat(faults.disarm()).isEqualTo("memFree");
        assertThat(device.memory().free()).isEqualTo(before + BYTES);
        faults.provider().close();
    }

    @Test
    void aLostDeviceIsReplacedByOneThatWorks() {
        Device device = device();
        Buffer kept = device.bufferType().allocate(BYTES);
        faults.fail(faults.calls(), Failure.DEVICE_LOST);
        assertThatThrownBy(() -> device.bufferType().allocate(BYTES)).isInstanceOf(DeviceLostException.class);
        assertThatThrownBy(() -> device.bufferType().allocate(BYTES)).isInstanceOf(DeviceLostException.class);
        kept.close();
        faults.disarm();
        Device next = device();
        assertThat(next).isNotEqualTo(device);
        next.bufferType().allocate(BYTES).close();
        assertThat(driver.calls()).contains("cuDevicePrimaryCtxRelease");
        faults.provider().close();
    }
}
