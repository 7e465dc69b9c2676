package dev.stowage.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "1B, 1",
        "24GiB, 25769803776",
        "24G, 25769803776",
        "24gib, 25769803776",
        "24 GiB, 25769803776",
        "24GB, 24000000000",
        "24576MiB, 25769803776",
        "1.5K, 1536",
        "0.5kB, 500",
        "2T, 2199023255552",
        "9223372036854775807B, 9223372036854775807"
    })
    void aNumberAndAUnitAreBytes(String text, long bytes) {
        assertThat(ByteSize.parse(text).orElse(-1)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "24",
                "GiB",
                "-1GiB",
                "0GiB",
                "0.0001B",
                "1e3MiB",
                "24 Gi",
                "24XB",
                ".5GiB",
                "5.GiB",
                "9223372036854775808B",
                "9999999999TiB"
            })
    void everythingElseIsNotAnAmount(String text) {
        assertThat(ByteSize.parse(text)).isEmpty();
    }

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
        assertThat(ByteSize.format(bytes)).isEqualTo(text);
    }
}
