package dev.stowage.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.DeviceException;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceRegistryTest {

    private final Device cpu = new AddingDevice("cpu", DeviceType.CPU, 0);
    private final Device gpu = new AddingDevice("gpu0", DeviceType.GPU, 0);

    @AfterEach
    void forgetTheChoice() {
        System.clearProperty(DeviceRegistry.PROVIDERS_PROPERTY);
    }

    private record Provider(String name, Supplier<Availability> answer, List<Device> devices)
            implements BackendProvider {

        @Override
        public String version() {
            return "1";
        }

        @Override
        public Availability probe() {
            return answer.get();
        }
    }

    private static Provider provider(String name, Device... devices) {
        return new Provider(name, Availability::available, List.of(devices));
    }

    @Test
    void findsDevicesByNameAndType() {
        DeviceRegistry registry =
                DeviceRegistry.empty().register(provider("a", cpu)).register(provider("b", gpu));

        assertThat(registry.devices()).containsExactly(cpu, gpu);
        assertThat(registry.device("GPU0")).isSameAs(gpu);
        assertThat(registry.devices(DeviceType.CPU)).containsExactly(cpu);
    }

    @Test
    void prefersAGpuToTheProcessor() {
        assertThat(DeviceRegistry.empty().register(provider("a", cpu, gpu)).best())
                .containsSame(gpu);
        assertThat(DeviceRegistry.empty().register(provider("a", cpu)).best()).containsSame(cpu);
        assertThat(DeviceRegistry.empty().best()).isEmpty();
    }

    @Test
    void listsAProviderThatIsNotAvailableWithTheReason() {
        DeviceRegistry registry = DeviceRegistry.empty()
                .register(new Provider("cuda", () -> Availability.unavailable("no driver"), List.of(gpu)))
                .register(provider("cpu", cpu));

        assertThat(registry.devices()).containsExactly(cpu);
        assertThatExceptionOfType(DeviceException.class)
                .isThrownBy(() -> registry.device("gpu0"))
                .withMessageContainingAll("there are: cpu", "cuda (no driver)");
    }

    @Test
    void survivesAProviderThatFails() {
        DeviceRegistry registry = DeviceRegistry.empty()
                .register(new Provider(
                        "broken",
                        () -> {
                            throw new UnsatisfiedLinkError("libbroken.so");
                        },
                        List.of()))
                .register(provider("cpu", cpu));

        assertThat(registry.devices()).containsExactly(cpu);
        assertThat(registry.providers().getFirst().availability().reason()).contains("libbroken.so");
    }

    @Test
    void takesOnlyTheProvidersThatAreAskedFor() {
        System.setProperty(DeviceRegistry.PROVIDERS_PROPERTY, "CPU");

        DeviceRegistry registry =
                DeviceRegistry.empty().register(provider("cpu", cpu)).register(provider("cuda", gpu));

        assertThat(registry.devices()).containsExactly(cpu);
        assertThat(registry.providers().getLast().availability().reason()).contains(DeviceRegistry.PROVIDERS_PROPERTY);
    }

    @Test
    void leavesAProviderOut() {
        System.setProperty(DeviceRegistry.PROVIDERS_PROPERTY, "-cuda");

        DeviceRegistry registry =
                DeviceRegistry.empty().register(provider("cpu", cpu)).register(provider("cuda", gpu));

        assertThat(registry.devices()).containsExactly(cpu);
    }

    @Test
    void loadsWhateverIsThere() {
        assertThat(DeviceRegistry.load().providers()).isEmpty();
    }
}
