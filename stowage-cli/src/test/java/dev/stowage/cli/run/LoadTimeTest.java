package dev.stowage.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoadTimeTest {

    private final AtomicLong clock = new AtomicLong(1_000);
    private final LoadTime time = new LoadTime(clock::get);

    private void load(long bytes, long nanos) {
        time.loaded(0, bytes);
        clock.addAndGet(nanos / 2);
        time.loaded(bytes / 3, bytes);
        clock.addAndGet(nanos - nanos / 2);
        time.loaded(bytes, bytes);
    }

    @Test
    void saysHowMuchWasLoadedAndHowFast() {
        load(4_650_000_000L, 310_000_000);

        assertThat(time.text()).contains("loaded 4.65 GB in 0.31 s (15.0 GB/s)");
        assertThat(time.bytes()).isEqualTo(4_650_000_000L);
        assertThat(time.seconds()).isEqualTo(0.31);
    }

    @Test
    void countsLessThanAGigabyteInMegabytes() {
        load(11_010_000, 10_000_000);

        assertThat(time.text()).contains("loaded 11.0 MB in 0.01 s (1.1 GB/s)");
    }

    @Test
    void aSlowSpeedIsInMegabytesToo() {
        load(5_600_000, 1_290_000_000);

        assertThat(time.text()).contains("loaded 5.6 MB in 1.29 s (4 MB/s)");
    }

    @Test
    void saysNothingWhereEverythingIsUsedInTheFile() {
        load(0, 0);

        assertThat(time.text()).isEmpty();
        assertThat(time.bytes()).isZero();
    }
}
