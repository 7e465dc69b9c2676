package dev.stowage.llm;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The threads that read weights from a file: one reads more slowly than memory and devices take, some do not. */
final class ReaderThreads implements AutoCloseable {

    private static final int MOST = 8;

    private final int count = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MOST);
    private final ExecutorService threads = Executors.newFixedThreadPool(
            count, Thread.ofPlatform().daemon().name("stowage-reader-", 0).factory());

    int count() {
        return count;
    }

    Future<?> submit(Runnable read) {
        return threads.submit(read);
    }

    /** Waits for everything that was submitted. */
    @Override
    public void close() {
        threads.close();
    }
}
