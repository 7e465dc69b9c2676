package dev.stowage.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinarySizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1, 1 B",
        "1023, 1023 B",
        "1024, 1.00 KiB",
        "1536, 1.50 KiB",
        "1048570, 1023.99 KiB",
        "1048575, 1.00 MiB",
        "1048576, 1.00 MiB",
        "1073741824, 1.00 GiB",
        "9223372036854775807, 8.00 EiB"
    })
    void sizesAreInUnitsOf1024(long bytes, String text) {
        assertThat(BinarySize.of(bytes)).isEqualTo(text);
    }
}
