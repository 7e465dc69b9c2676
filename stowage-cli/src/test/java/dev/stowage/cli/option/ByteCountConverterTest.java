package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteCountConverterTest {
    private final ByteCountConverter converter = new ByteCountConverter();

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
}
