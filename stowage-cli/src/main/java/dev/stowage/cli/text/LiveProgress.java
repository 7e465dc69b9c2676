package dev.stowage.cli.text;

import dev.stowage.internal.Threads;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Shows on a terminal that a job goes on which does not say so by itself: a thread asks for a line again and again. */
public final class LiveProgress implements AutoCloseable {
    private static final long PAUSE = 200;

    private final Progress progress;
    private final Function<Duration, String> line;
    private final long begin = System.nanoTime();
    private final Thread thread;

    /** Shows nothing before {@link #start()}; the line is made from how long the job has taken so far. */
    public LiveProgress(Progress progress, Function<Duration, String> line) {
        this.progress = progress;
        this.line = line;
        this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::keepShowing);
    }

    /** Begins to show lines. */
    public LiveProgress start() {
        thread.start();
        return this;
    }

    private void keepShowing() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(PAUSE);
                progress.show(line.apply(Duration.ofNanos(System.nanoTime() - begin)));
            }
        } catch (InterruptedException _) {
            // The job is done.
        }
    }

    /** Ends the thread, and takes the line away. */
    @Override
    public void close() {
        if (!thread.isAlive()) {
            return;
        }
        thread.interrupt();
        Threads.join(thread);
        progress.clear();
    }
}
