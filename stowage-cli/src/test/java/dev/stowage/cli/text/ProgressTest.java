package dev.stowage.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final long SECOND = 1_000_000_000L;

    private final StringWriter err = new StringWriter();
    private long now;

    private Progress progress(boolean terminal) {
        return new Progress(new PrintWriter(err), terminal, () -> now);
    }

    @Test
    void aShortJobShowsNothing() {
        Progress progress = progress(true);
        now = SECOND - 1;
        progress.show("nearly");
        progress.clear();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aLongJobShowsHowFarItIsAndTakesThatAway() {
        Progress progress = progress(true);
        now = 2 * SECOND;
        progress.show("10 cases");
        progress.clear();
        assertThat(err.toString()).isEqualTo("\r10 cases\r        \r");
    }

    @Test
    void aShorterLineCoversALongerOne() {
        Progress progress = progress(true);
        now = 2 * SECOND;
        progress.show("10 cases");
        now = 3 * SECOND;
        progress.show("done");
        assertThat(err.toString()).isEqualTo("\r10 cases\rdone    ");
    }

    @Test
    void theLineIsNotRewrittenForEveryStep() {
        Progress progress = progress(true);
        now = 2 * SECOND;
        progress.show("1");
        progress.show("2");
        assertThat(err.toString()).isEqualTo("\r1");
    }

    @Test
    void withoutATerminalNothingIsShown() {
        Progress progress = progress(false);
        now = 100 * SECOND;
        progress.show("10 cases");
        progress.clear();
        assertThat(err.toString()).isEmpty();
    }
}
