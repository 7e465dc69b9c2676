package dev.stowage.llm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Loads the weights of several devices at the same time, since each is limited by what its memory or its connection takes.
 * The caller's thread reports what has arrived anywhere. When one load fails the others stop. Used by one thread.
 */
final class DeviceLoads {

    private final List<Consumer<LongConsumer>> loads = new ArrayList<>();
    private final LoadReports reports = new LoadReports();
    private volatile boolean isGivenUp;

    /** Adds the load of a device, which is given what it reports arrived bytes to, from one thread. */
    void add(Consumer<LongConsumer> load) {
        loads.add(load);
    }

    /**
     * Runs all loads, and returns when they are done; throws what the first of them threw.
     *
     * @param arrived is given the bytes that have arrived, in this thread
     */
    void run(LongConsumer arrived) {
        if (loads.size() == 1) {
            loads.getFirst().accept(arrived);
            return;
        }
        List<Background<Boolean>> running = new ArrayList<>();
        try {
            for (Consumer<LongConsumer> load : loads) {
                running.add(Background.start("load", () -> work(load)));
            }
            reports.passOn(loads.size(), arrived);
        } finally {
            isGivenUp = true;
            running.forEach(Background::close);
        }
        throwFirst(running);
    }

    private boolean work(Consumer<LongConsumer> load) {
        boolean succeeded = false;
        try {
            load.accept(this::report);
            succeeded = true;
            return true;
        } finally {
            if (!succeeded) {
                isGivenUp = true;
            }
            reports.end();
        }
    }

    private void report(long bytes) {
        if (isGivenUp) {
            throw new CancellationException("another load has failed");
        }
        reports.add(bytes);
    }

    /** Throws the failure for which the others have stopped. */
    private static void throwFirst(List<Background<Boolean>> all) {
        for (Background<Boolean> each : all) {
            try {
                each.get();
            } catch (CancellationException _) {
                // the failure is another's
            }
        }
    }
}
