package dev.stowage.llm;

import dev.stowage.error.ClosedException;
import dev.stowage.error.StowageException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Lets work into a session until the session or its model is closed. Closing may come from any thread: it waits for the
 * pass under way and no longer, so that a listener of a generation may wait for a close.
 */
final class SessionGate {

    private final Runnable release;
    private final BooleanSupplier modelClosed;
    private final ReentrantLock pass = new ReentrantLock();
    private volatile boolean closing;
    private boolean deferred;
    private boolean released;

    /**
     * @param release gives back what the session holds; called once, when no pass is under way
     */
    SessionGate(Runnable release, BooleanSupplier modelClosed) {
        this.release = release;
        this.modelClosed = modelClosed;
    }

    /**
     * @throws ClosedException if the session or its model is closed
     */
    void enter() {
        pass.lock();
        try {
            requireOpen();
        } catch (ClosedException e) {
            pass.unlock();
            throw e;
        }
    }

    void leave() {
        try {
            if (deferred && pass.getHoldCount() == 1) {
                releaseOnce();
            }
        } finally {
            pass.unlock();
        }
    }

    /**
     * @throws ClosedException if the session or its model is closed
     */
    void requireOpen() {
        if (closing) {
            throw new ClosedException("this session is closed; open another one of the model");
        }
        if (modelClosed.getAsBoolean()) {
            throw new ClosedException("the model of this session is closed; open it again");
        }
    }

    /**
     * Checks that a failure has another cause than closing, which takes memory away between the steps of a pass.
     *
     * @throws ClosedException with that failure as its cause, if the session or its model is closed by now
     */
    void requireOpenAfter(StowageException failure) {
        try {
            requireOpen();
        } catch (ClosedException closed) {
            closed.initCause(failure);
            throw closed;
        }
    }

    /** Waits for a pass of another thread; within a pass of this thread, what is held is given back at its end. */
    void close() {
        closing = true;
        pass.lock();
        try {
            if (pass.getHoldCount() == 1) {
                releaseOnce();
            } else {
                deferred = true;
            }
        } finally {
            pass.unlock();
        }
    }

    private void releaseOnce() {
        if (!released) {
            released = true;
            release.run();
        }
    }
}
