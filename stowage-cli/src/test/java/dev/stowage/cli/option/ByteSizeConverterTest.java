package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeConverterTest {
    private final ByteSizeConverter converter = new ByteSizeConverter();

    @Test
    void readsANumberWithAUnit() {
        assertThat(converter.convert("512MiB")).isEqualTo(512L << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "512", "MiB", "-1MiB", "0MiB", "5 apples", "9000000TiB"})
    void refusesWhatIsNone(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> converter.convert(text))
                .withMessageContaining("'" + text + "' is not a number of bytes with a unit");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1048576, 1048576",
        "1024KiB, 1048576",
        "1.5MiB, 1572864",
        "2GiB, 2147483648",
        "9223372036854775807, 9223372036854775807"
    })
    void aUnitCanBeOptional(String text, long bytes) {
        assertThat(new ByteSizeConverter.UnitOptional().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "1e6", "KiB", "1 048 576", "9223372036854775808"})
    void refusesWhatIsNotANumberOfBytes(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new ByteSizeConverter.UnitOptional().convert(text))
                .withMessageContaining("'" + text + "' is not a number of bytes");
    }
}
