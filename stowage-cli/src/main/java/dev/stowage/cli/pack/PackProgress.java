package dev.stowage.cli.pack;

import dev.stowage.cli.text.Progress;
import dev.stowage.packing.Budget;
import dev.stowage.packing.PackingProgress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far packing is. A packer may report nothing for many seconds, so a thread of its own refreshes the
 * last report.
 */
final class PackProgress implements Consumer<PackingProgress>, AutoCloseable {
    private static final long PAUSE = 200;

    private final Progress progress;
    private final Budget budget;
    private final long begin = System.nanoTime();
    private final Thread thread;
    private volatile @Nullable PackingProgress news;

    /** Shows nothing before {@link #start()}. */
    PackProgress(Progress progress, Budget budget) {
        this.progress = progress;
        this.budget = budget;
        this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::keepShowing);
    }

    PackProgress start() {
        thread.start();
        return this;
    }

    @Override
    public void accept(PackingProgress latest) {
        news = latest;
    }

    private void keepShowing() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(PAUSE);
                progress.show(line(news, Duration.ofNanos(System.nanoTime() - begin), budget));
            }
        } catch (InterruptedException _) {
            // The packer has finished.
        }
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

    /** Ends the thread, and takes the line away. */
    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        progress.clear();
    }
}
