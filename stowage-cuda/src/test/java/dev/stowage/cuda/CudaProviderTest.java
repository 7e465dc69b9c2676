package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.DeviceAttribute;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Availability;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.device.ProviderStatus;
import dev.stowage.error.DeviceLostException;
import dev.stowage.memory.Buffer;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the provider finds, and what it says where it finds nothing. */
class CudaProviderTest {

    private static CudaProvider provider(Supplier<Driver> opener) {
        return new CudaProvider(opener, StandardCompiler.INSTANCE);
    }

    private static String objection(Supplier<Driver> opener) {
        CudaProvider provider = provider(opener);
        Availability availability = provider.probe();
        assertThat(availability.isAvailable()).isFalse();
        assertThat(provider.devices()).isEmpty();
        assertThat(availability.reason()).doesNotContain("\n");
        return availability.reason();
    }

    @Test
    void isFoundAndNeverThrowsWhateverTheMachineHas() {
        try (DeviceRegistry registry = DeviceRegistry.load()) {
            ProviderStatus status = registry.providers().stream()
                    .filter(each -> each.name().equals("cuda"))
                    .findFirst()
                    .orElseThrow();
            assertThat(status.availability().isAvailable())
                    .isEqualTo(!status.devices().isEmpty());
        }
    }

    @Test
    void saysThatThereIsNoDriver() {
        assertThat(objection(() -> {
                    throw new UnsatisfiedLinkError("libcuda.so.1 was not found");
                }))
                .contains("was not found", "install NVIDIA's driver");
        assertThat(objection(() -> {
                    throw new ExceptionInInitializerError(new UnsatisfiedLinkError("libcuda.so.1 was not found"));
                }))
                .contains("install NVIDIA's driver");
    }

    @Test
    void saysWhichFlagLetsItCallNativeCode() {
        assertThat(objection(() -> {
                    throw new ExceptionInInitializerError(new IllegalCallerException("Illegal native access"));
                }))
                .contains("--enable-native-access=");
    }

    @Test
    void saysThatTheDriverIsTooOld() {
        assertThat(objection(() -> new RecordingDriver(1).withVersion(11080))).contains("11.8", "12.0", "525");
        assertThat(objection(() -> {
                    throw new UnsatisfiedLinkError("the CUDA driver has no function cuLaunchKernelEx");
                }))
                .contains("too old", "cuLaunchKernelEx");
    }

    @Test
    void saysThatThereIsNoGpu() {
        assertThat(objection(() -> new RecordingDriver(0, 1))).contains("no NVIDIA GPU");
        assertThat(objection(() -> {
                    throw new CudaException("cuInit", CudaErrors.NO_DEVICE, "CUDA_ERROR_NO_DEVICE");
                }))
                .contains("no NVIDIA GPU");
    }

    @Test
    void saysThatTheGpuIsTooOld() {
        RecordingDriver turing = new RecordingDriver(1)
                .withAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR, 7)
                .withAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR, 5);
        assertThat(objection(() -> turing)).contains("Recording GPU", "7.5", "8.0");
    }

    @Test
    void givesTheSameDevicesEachTime() {
        RecordingDriver driver = new RecordingDriver(2, 5000);
        try (CudaProvider provider = provider(() -> driver)) {
            List<Device> devices = provider.devices();
            assertThat(devices).extracting(Device::name).containsExactly("cuda0", "cuda1");
            assertThat(provider.devices()).isEqualTo(devices);
            Device device = devices.getFirst();
            assertThat(device.type()).isEqualTo(DeviceType.GPU);
            assertThat(device.description())
                    .isEqualTo("Recording GPU, compute capability 9.0, 132 multiprocessors, driver for CUDA 12.9");
            assertThat(device.capabilities())
                    .containsExactlyInAnyOrder(
                            Capability.ASYNC, Capability.HOST_BUFFER, Capability.EVENTS, Capability.REORDER);
            assertThat(device.memory()).isEqualTo(new DeviceMemory(5000, 5000));
            assertThat(device.copiesAsyncFrom(devices.getLast())).isTrue();
        }
        assertThat(driver.leaks()).isEmpty();
    }

    @Test
    void makesNoContextBeforeOneIsNeeded() {
        RecordingDriver driver = new RecordingDriver(5000);
        try (CudaProvider provider = provider(() -> driver)) {
            provider.devices().getFirst().description();
            provider.devices().getFirst().bufferType();
        }
        assertThat(driver.calls()).doesNotContain("cuDevicePrimaryCtxRetain");
    }

    @Test
    void replacesADeviceThatWasLostOnceItWorksAgain() {
        RecordingDriver driver = new RecordingDriver(5000);
        try (CudaProvider provider = provider(() -> driver)) {
            Device lost = provider.devices().getFirst();
            Buffer pinned = lost.hostBufferType().orElseThrow().allocate(64);
            driver.failFunction("cuMemAlloc", 0, 700);
            assertThat(failsToAllocate(lost)).isTrue();
            // The processor may still read pinned memory, which would be gone with the broken context.
            assertThat(provider.devices().getFirst()).isSameAs(lost);
            pinned.segment().fill((byte) 1);
            pinned.close();
            Device next = provider.devices().getFirst();
            assertThat(next).isNotSameAs(lost);
            assertThat(next.lossCause()).isEmpty();
            next.bufferType().allocate(64).close();
        }
        assertThat(driver.leaks()).isEmpty();
    }

    private static boolean failsToAllocate(Device device) {
        try {
            device.bufferType().allocate(64).close();
            return false;
        } catch (DeviceLostException _) {
            return true;
        }
    }

    @Test
    void hasNothingOnceItIsClosed() {
        CudaProvider provider = provider(() -> new RecordingDriver(5000));
        provider.devices();
        provider.close();
        provider.close();
        assertThat(provider.probe().isAvailable()).isFalse();
        assertThat(provider.devices()).isEmpty();
    }
}
