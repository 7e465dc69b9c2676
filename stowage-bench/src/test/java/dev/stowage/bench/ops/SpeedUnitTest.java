package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpeedUnitTest {

    @Test
    void countsBillionsOfOperationsASecond() {
        assertThat(SpeedUnit.GFLOPS.text(3e9, 0.5)).isEqualTo("6.00 GFLOPS");
    }

    @Test
    void dropsDecimalsAsNumbersGrow() {
        assertThat(SpeedUnit.GIGABYTES.text(12.34e9, 1)).isEqualTo("12.3 GB/s");
        assertThat(SpeedUnit.GIGABYTES.text(123.4e9, 1)).isEqualTo("123 GB/s");
    }

    @Test
    void nanosecondsAreTimeByWorkAndNotWorkByTime() {
        assertThat(SpeedUnit.NANOSECONDS.text(1000, 250e-6)).isEqualTo("250 ns/op");
    }

    @Test
    void tokensAreCountedOneByOne() {
        assertThat(SpeedUnit.TOKENS.of(128, 2)).isEqualTo(64);
    }
}
