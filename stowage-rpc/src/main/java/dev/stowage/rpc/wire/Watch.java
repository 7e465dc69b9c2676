package dev.stowage.rpc.wire;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The time that limits of transfers are measured in, and who looks at it. {@link #SYSTEM} is the clock of the machine and
 * one thread for all connections; tests let time pass as they like. Thread-safe.
 */
public interface Watch {

    /** The clock of the machine. */
    Watch SYSTEM = new Watch() {

        private final ScheduledThreadPoolExecutor looks = looks();

        private static ScheduledThreadPoolExecutor looks() {
            ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("stowage-rpc-limits").factory());
            looks.setRemoveOnCancelPolicy(true);
            return looks;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Future<?> look(Runnable look, long pause) {
            return looks.scheduleWithFixedDelay(look, pause, pause, TimeUnit.NANOSECONDS);
        }
    };

    /** The time in nanoseconds, counted from anywhere. */
    long nanoTime();

    /** Has something look at the time again and again with that pause in nanoseconds, until what is returned is cancelled. */
    Future<?> look(Runnable look, long pause);
}
