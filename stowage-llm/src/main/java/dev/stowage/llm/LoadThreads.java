package dev.stowage.llm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that load the pieces of something, each one piece after the other until none is left, while the caller's thread
 * reports what has arrived. Used once.
 */
final class LoadThreads<P> {

    private final List<P> pieces;
    private final Function<LongConsumer, PieceLoader<P>> loaders;
    private final AtomicInteger next = new AtomicInteger();
    private final LoadReports reports = new LoadReports();
    private volatile boolean isGivenUp;

    /**
     * Threads for these pieces.
     *
     * @param loaders makes the loader of a thread, which it closes; given is what the loader reports arrived bytes to
     */
    LoadThreads(List<P> pieces, Function<LongConsumer, PieceLoader<P>> loaders) {
        this.pieces = pieces;
        this.loaders = loaders;
    }

    /**
     * Loads everything, and returns when it has arrived, or when nothing is under way any more after a failure.
     *
     * @param arrived is given the bytes that have arrived, in this thread
     */
    void run(LongConsumer arrived) {
        try (ReaderThreads threads = new ReaderThreads()) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < Math.min(threads.count(), pieces.size()); i++) {
                workers.add(threads.submit(this::work));
            }
            try {
                reports.passOn(workers.size(), arrived);
            } finally {
                isGivenUp = true;
            }
            workers.forEach(Background::await);
        }
    }

    private @Nullable P take() {
        int number = isGivenUp ? pieces.size() : next.getAndIncrement();
        return number < pieces.size() ? pieces.get(number) : null;
    }

    /** Loads one piece after the other until there are none left, or a thread has failed. */
    private void work() {
        boolean succeeded = false;
        try (PieceLoader<P> loader = loaders.apply(reports::add)) {
            for (P piece = take(); piece != null; piece = take()) {
                loader.load(piece);
            }
            loader.finish();
            succeeded = true;
        } finally {
            if (!succeeded) {
                isGivenUp = true;
            }
            reports.end();
        }
    }
}
