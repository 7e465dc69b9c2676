package dev.stowage.llm;

import dev.stowage.internal.Threads;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Something that another thread finds out meanwhile. Closing waits for it, whatever becomes of it. */
final class Background<T> implements AutoCloseable {

    private final FutureTask<T> task;
    private final Thread thread;

    private Background(String name, Callable<T> work) {
        this.task = new FutureTask<>(work);
        this.thread = Thread.ofPlatform().daemon().name("stowage-" + name).start(task);
    }

    /** Begins with it. */
    static <T> Background<T> start(String name, Callable<T> work) {
        return new Background<>(name, work);
    }

    /** Waits for it, and throws what it threw. */
    T get() {
        return await(task);
    }

    /** Waits for what another thread does, also if this one is interrupted, and throws what it threw. */
    static <T> T await(Future<T> work) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.get();
                } catch (InterruptedException _) {
                    // The work goes on, and so do its targets: the interrupt is restored when it is done.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        Threads.join(thread);
    }
}
