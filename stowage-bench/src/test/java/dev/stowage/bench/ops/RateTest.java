package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateTest {

    @Test
    void countsBillionsOfOperationsASecond() {
        assertThat(Rate.GFLOPS.text(3e9, 0.5)).isEqualTo("6.00 GFLOPS");
    }

    @Test
    void dropsDecimalsAsNumbersGrow() {
        assertThat(Rate.GIGABYTES.text(12.34e9, 1)).isEqualTo("12.3 GB/s");
        assertThat(Rate.GIGABYTES.text(123.4e9, 1)).isEqualTo("123 GB/s");
    }

    @Test
    void nanosecondsAreTimeByWorkAndNotWorkByTime() {
        assertThat(Rate.NANOSECONDS.text(1000, 250e-6)).isEqualTo("250 ns/op");
    }

    @Test
    void tokensAreCountedOneByOne() {
        assertThat(Rate.TOKENS.of(128, 2)).isEqualTo(64);
    }
}
