package dev.stowage.device;

import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferGroup;
import dev.stowage.memory.BufferLeases;
import dev.stowage.memory.TensorPair;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Many calls of one thread to several backends as if they were one: other threads are kept out of the backends, and
 * the memory that the calls use is leased, once for all of them. Calls that use other memory still lease it themselves.
 * A hold can begin again after it has ended, and creates no garbage.
 */
public final class BackendHold {

    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
    private final BufferLeases leases = new BufferLeases();
    private Backend[] backends = {};
    private int count;

    /** A hold that has not begun. */
    public BackendHold() {}

    /**
     * Begins the hold. The array must not be changed before it ends.
     *
     * @throws AccessException if it has begun already
     * @throws dev.stowage.error.DeviceException if a thread is inside a call of one of the backends
     * @throws dev.stowage.error.ClosedException if a buffer is closed
     */
    public void begin(Backend[] toHold, BufferGroup memory) {
        if (!owner.compareAndSet(null, Thread.currentThread())) {
            throw new AccessException("the hold has begun already, by thread '" + owner.get() + "'");
        }
        backends = toHold;
        count = 0;
        boolean begun = false;
        try {
            leases.addAll(memory);
            for (Backend backend : toHold) {
                backend.hold(leases, memory);
                count++;
            }
            begun = true;
        } finally {
            if (!begun) {
                end();
            }
        }
    }

    /** As {@link Buffer#copy(BoundTensor, BoundTensor)}, of memory that is leased already. */
    public void copy(TensorPair tensors) {
        if (isMine()) {
            leases.copy(tensors);
        } else {
            Buffer.copy(tensors.from(), tensors.to());
        }
    }

    /**
     * Ends the hold. Memory that asynchronous devices still use stays leased by their backends.
     *
     * @throws AccessException if the calling thread has not begun it
     */
    public void end() {
        if (!isMine()) {
            throw new AccessException("a hold ends on the thread that began it");
        }
        int ended = count;
        Backend[] disposing = backends;
        try {
            endAll();
        } finally {
            owner.setRelease(null);
        }
        for (int i = 0; i < ended; i++) {
            disposing[i].disposeClosed();
        }
    }

    /** Ends everything, even if freeing memory that was closed meanwhile fails. */
    private void endAll() {
        try {
            while (count > 0) {
                backends[--count].endHold();
            }
        } finally {
            if (count > 0) {
                endAll();
            } else {
                leases.releaseAll();
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself only
    private boolean isMine() {
        return owner.get() == Thread.currentThread();
    }
}
