package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.TypeConversionException;

class DeviceListConverterTest {
    private static DeviceList read(String text) {
        return new DeviceListConverter().convert(text);
    }

    @Test
    void devicesOfAKindAreNumberedWhereThereAreSeveral() {
        assertThat(read("gpu:24GiB,gpu:12GiB,cpu").devices())
                .extracting(DeviceSpec::name)
                .containsExactly("gpu0", "gpu1", "cpu");
        assertThat(read("gpu:24GiB,cpu").devices()).extracting(DeviceSpec::name).containsExactly("gpu", "cpu");
    }

    @Test
    void memoryFollowsTheColon() {
        assertThat(read("gpu:24GiB,gpu:1.5GiB,cpu:64GiB").devices())
                .extracting(DeviceSpec::memory)
                .containsExactly(24L << 30, 3L << 29, 64L << 30);
    }

    @Test
    void aDeviceWithoutASizeHasNoLimit() {
        assertThat(read("gpu,cpu").devices()).noneMatch(DeviceSpec::isLimited);
    }

    @Test
    void aServerIsNamedByItsAddress() {
        assertThat(read("rpc:10.0.0.2:50052,gpu:1GiB,cpu").devices())
                .extracting(DeviceSpec::name)
                .containsExactly("rpc:10.0.0.2:50052", "gpu", "cpu");
    }

    @Test
    void upperCaseAndSpacesDoNotMatter() {
        assertThat(read(" GPU:24GiB , Cpu ")).isEqualTo(read("gpu:24GiB,cpu"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "foo | 'foo' is not a device",
                "gpu:24GiB,tpu,cpu | 'tpu' is not a device",
                "gpu:24GiB,,cpu | '' is not a device",
                "gpu:24GiB,cpu, | '' is not a device",
                "gpu:-1,cpu | '-1' in 'gpu:-1' is not an amount of memory",
                "gpu:0GiB,cpu | '0GiB' in 'gpu:0GiB' is not an amount of memory",
                "gpu:24,cpu | '24' in 'gpu:24' is not an amount of memory",
                "gpu:,cpu | '' in 'gpu:' is not an amount of memory",
                "gpu:24GiB | the list must end with 'cpu'",
                "cpu,gpu:24GiB | the list must end with 'cpu'",
                "cpu,gpu:24GiB,cpu | there must be exactly one 'cpu'",
                "cpu,cpu | there must be exactly one 'cpu'"
            })
    void nonsenseIsRefusedWithWhatToSayInstead(String text, String message) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining(message);
    }
}
