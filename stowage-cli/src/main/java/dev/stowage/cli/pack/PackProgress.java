package dev.stowage.cli.pack;

import dev.stowage.cli.text.LiveProgress;
import dev.stowage.cli.text.Progress;
import dev.stowage.packing.Budget;
import dev.stowage.packing.PackingProgress;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far packing is. A packer may report nothing for many seconds, so a thread of its own refreshes the
 * last report.
 */
final class PackProgress implements Consumer<PackingProgress>, AutoCloseable {
    private final LiveProgress live;
    private volatile @Nullable PackingProgress news;

    /** Shows nothing before {@link #start()}. */
    PackProgress(Progress progress, Budget budget) {
        this.live = new LiveProgress(progress, elapsed -> line(news, elapsed, budget));
    }

    PackProgress start() {
        live.start();
        return this;
    }

    @Override
    public void accept(PackingProgress latest) {
        news = latest;
    }

    /** The state in one line. */
    static String line(@Nullable PackingProgress news, Duration elapsed, Budget budget) {
        String time = elapsed.toSeconds() + " s"
                + budget.time().map(limit -> " of " + PackReport.span(limit)).orElse("");
        if (news == null) {
            return "packing, " + time;
        }
        String steps = String.format(Locale.ROOT, "%,d", news.steps())
                + (budget.steps() == Long.MAX_VALUE ? "" : String.format(Locale.ROOT, " of %,d", budget.steps()));
        return String.format(
                Locale.ROOT,
                "height %,d, lower bound %,d, %s steps, %s",
                news.height(),
                news.lowerBound(),
                steps,
                time);
    }

    /** Takes the line away. */
    @Override
    public void close() {
        live.close();
    }
}
