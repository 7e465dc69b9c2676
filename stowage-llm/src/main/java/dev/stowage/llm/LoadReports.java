package dev.stowage.llm;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;

/** What threads that load something report, passed on by the thread that waits for them. Thread-safe. */
final class LoadReports {

    /** What a thread reports when it has ended. */
    private static final long ENDED = -1;

    private final BlockingQueue<Long> reports = new LinkedBlockingQueue<>();

    /** Reports bytes that have arrived. */
    void add(long bytes) {
        reports.add(bytes);
    }

    /** Reports that a thread has ended, whether it has succeeded or not. */
    void end() {
        reports.add(ENDED);
    }

    /** Passes on all reports until so many threads have ended, also if this one is interrupted. */
    void passOn(int threads, LongConsumer arrived) {
        boolean interrupted = false;
        try {
            for (int running = threads; running > 0; ) {
                try {
                    long report = reports.take();
                    if (report == ENDED) {
                        running--;
                    } else {
                        arrived.accept(report);
                    }
                } catch (InterruptedException _) {
                    // Loading goes on: the interrupt is restored when it is done.
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
