package dev.stowage.cli.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.text.Progress;
import dev.stowage.packing.Budget;
import dev.stowage.packing.PackingProgress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PackProgressTest {
    private static final PackingProgress NEWS = new PackingProgress(1_048_576, 989_184, 12_345);

    @Test
    void theLineSaysHowFarItIsOfWhatMayBeUsed() {
        assertThat(PackProgress.line(NEWS, Duration.ofSeconds(3), Budget.steps(2_000_000)))
                .isEqualTo("height 1,048,576, lower bound 989,184, 12,345 of 2,000,000 steps, 3 s");
        assertThat(PackProgress.line(NEWS, Duration.ofSeconds(3), Budget.time(Duration.ofSeconds(10))))
                .isEqualTo("height 1,048,576, lower bound 989,184, 12,345 steps, 3 s of 10 s");
    }

    @Test
    void beforeThereIsNewsTheTimeIsShown() {
        assertThat(PackProgress.line(null, Duration.ofSeconds(3), Budget.unlimited()))
                .isEqualTo("packing, 3 s");
    }

    @Test
    void aPackerWithoutNewsIsSeenToWorkAndTheLineIsTakenAway() throws InterruptedException {
        StringWriter err = new StringWriter();
        AtomicLong now = new AtomicLong();
        CountDownLatch shown = new CountDownLatch(2);
        Progress line = new Progress(new PrintWriter(err), true, () -> {
            shown.countDown();
            return now.getAndAdd(Duration.ofSeconds(10).toNanos());
        });
        try (PackProgress _ = new PackProgress(line, Budget.unlimited()).start()) {
            shown.await();
        }
        assertThat(err.toString()).contains("\rpacking, ").endsWith("\r");
    }
}
