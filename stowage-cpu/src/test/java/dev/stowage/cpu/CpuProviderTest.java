package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuProviderTest {

    private static final String FLAG = "--add-modules jdk.incubator.vector";

    @Test
    void bringsTheProcessor() {
        assertThat(new CpuProvider().probe().isAvailable()).isTrue();
        assertThat(new CpuProvider().devices()).extracting(Device::name).containsExactly("cpu");
    }

    @Test
    void isFoundAsAService() {
        assertThat(DeviceRegistry.load().device("cpu").type()).isEqualTo(DeviceType.CPU);
    }

    @Test
    void bringsTheSameDeviceEveryTime() {
        assertThat(new CpuProvider().devices()).isEqualTo(new CpuProvider().devices());
    }

    @Test
    void withoutTheVectorModuleItIsUnavailableAndNamesTheFlag() throws IOException, InterruptedException {
        assertThat(withoutVectors())
                .anySatisfy(
                        line -> assertThat(line).startsWith("provider cpu: ").contains(FLAG))
                .contains("own 0");
    }

    @Test
    void withoutTheVectorModuleTheReferenceIsTheProcessor() throws IOException, InterruptedException {
        assertThat(withoutVectors())
                .filteredOn(line -> line.startsWith("processor "))
                .containsExactly("processor reference");
    }

    @Test
    void withoutTheVectorModuleOneLineIsLogged() throws IOException, InterruptedException {
        assertThat(withoutVectors())
                .filteredOn(line -> line.contains(FLAG) && !line.startsWith("provider "))
                .hasSize(1);
    }

    @Test
    void withoutNativeAccessItIsUnavailableAndNamesTheFlag() throws IOException, InterruptedException {
        List<String> lines = listedDevices("--add-modules", "jdk.incubator.vector", "--illegal-native-access=deny");

        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("provider cpu: ")
                        .contains("start java with --enable-native-access=ALL-UNNAMED"))
                .contains("own 0");
        assertThat(lines).filteredOn(line -> line.startsWith("processor ")).containsExactly("processor reference");
    }

    private static List<String> withoutVectors() throws IOException, InterruptedException {
        return listedDevices("--enable-native-access=ALL-UNNAMED");
    }

    private static List<String> listedDevices(String... options) throws IOException, InterruptedException {
        try (JavaProcess process = JavaProcess.start(List.of(options), ListedDevices.class)) {
            return process.lines();
        }
    }
}
