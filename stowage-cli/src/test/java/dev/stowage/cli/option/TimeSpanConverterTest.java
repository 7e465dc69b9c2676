package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TimeSpanConverterTest {
    @ParameterizedTest
    @CsvSource({"0s, PT0S", "500ms, PT0.5S", "10s, PT10S", "1.5 s, PT1.5S", "2m, PT2M", "2min, PT2M", "1h, PT1H"})
    void aNumberAndAUnitAreATime(String text, Duration time) {
        assertThat(new TimeSpanConverter().convert(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "s", "-1s", "1e3s", "10 seconds", "1d", ".5s", "5.s", "9999999999h"})
    void everythingElseIsNone(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new TimeSpanConverter().convert(text))
                .withMessageContaining("'" + text + "' is not a time with a unit");
    }
}
