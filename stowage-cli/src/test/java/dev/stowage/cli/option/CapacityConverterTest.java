package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class CapacityConverterTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1048576, 1048576",
        "1024KiB, 1048576",
        "1.5MiB, 1572864",
        "2GiB, 2147483648",
        "9223372036854775807, 9223372036854775807"
    })
    void aNumberWithOrWithoutAUnitIsBytes(String text, long bytes) {
        assertThat(new CapacityConverter().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "1e6", "KiB", "1 048 576", "9223372036854775808"})
    void everythingElseIsNone(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new CapacityConverter().convert(text))
                .withMessageContaining("'" + text + "' is not a number of bytes");
    }
}
