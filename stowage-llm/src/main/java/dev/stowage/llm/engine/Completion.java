package dev.stowage.llm.engine;

import dev.stowage.error.StowageException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A text that an engine is generating. One thread takes its parts as they come; waiting blocks, so virtual threads suit.
 * A reader that is slow or gone holds up nobody: parts wait for it. All methods may be called by any thread.
 *
 * {@snippet class="dev.stowage.llm.engine.EngineSnippetTest" region="stream"}
 */
public final class Completion {

    private final long number;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<CompletionPart> parts = new ArrayDeque<>();
    private final Runnable wake;
    private @Nullable CompletionResult result;
    private @Nullable StowageException failure;
    private volatile boolean cancelled;

    Completion(long number, Runnable wake) {
        this.number = number;
        this.wake = wake;
    }

    /** The number of the request, by which {@link EngineStatus} names it. */
    public long number() {
        return number;
    }

    /**
     * Waits for the next part.
     *
     * @return empty if there are no more, as it has ended
     * @throws StowageException if it failed, as all parts have been taken
     */
    public Optional<CompletionPart> next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (parts.isEmpty() && !isEnded()) {
                changed.await();
            }
            CompletionPart part = parts.poll();
            if (part == null && failure != null) {
                throw failure;
            }
            return Optional.ofNullable(part);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for its end.
     *
     * @throws StowageException if it failed
     */
    public CompletionResult await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isEnded()) {
                changed.await();
            }
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(result);
        } finally {
            lock.unlock();
        }
    }

    /** Whether it has ended, in whatever way. */
    public boolean isDone() {
        lock.lock();
        try {
            return isEnded();
        } finally {
            lock.unlock();
        }
    }

    /** Has it end before its next token, and frees its slot; after its end this does nothing. */
    public void cancel() {
        cancelled = true;
        wake.run();
    }

    boolean isCancelled() {
        return cancelled;
    }

    private boolean isEnded() {
        return result != null || failure != null;
    }

    void add(CompletionPart part) {
        lock.lock();
        try {
            parts.add(part);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void end(CompletionResult reached) {
        lock.lock();
        try {
            result = reached;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void fail(StowageException cause) {
        lock.lock();
        try {
            failure = cause;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
