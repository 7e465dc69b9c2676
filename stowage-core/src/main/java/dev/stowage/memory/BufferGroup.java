package dev.stowage.memory;

import dev.stowage.internal.IdentitySet;
import dev.stowage.internal.Overriding;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The buffers that the tensors of a graph are stored in, each once. */
public final class BufferGroup {

    /** Buffers of such a class are asked at every run whether their bytes can be used. */
    private static final Overriding DEPENDENT = new Overriding(Buffer.class, "onAcquire");

    private final IdentitySet<Buffer> distinct;
    private final Buffer[] buffers;
    private final Buffer[] dependent;
    /** A group that was found to contain all of these; groups never change, so that a stale value only costs time. */
    private @Nullable BufferGroup container;
    /** How many buffers of this process had been closed when all of these were last found open. */
    private volatile int openAt = -1;

    private BufferGroup(IdentitySet<Buffer> distinct) {
        this.distinct = distinct;
        this.buffers = new Buffer[distinct.size()];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = distinct.get(i);
        }
        this.dependent = dependent(buffers);
    }

    /** The buffers of tensors, in the order they are met; a tensor without memory has none. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    public static BufferGroup of(@Nullable Buffer[] byTensor) {
        IdentitySet<Buffer> distinct = new IdentitySet<>();
        Buffer last = null;
        for (Buffer buffer : byTensor) {
            if (buffer != null && buffer != last) {
                distinct.add(buffer);
                last = buffer;
            }
        }
        return new BufferGroup(distinct);
    }

    boolean contains(Buffer buffer) {
        return distinct.contains(buffer);
    }

    /** Whether all buffers of another group are among these; takes constant time if asked again. */
    boolean containsAll(BufferGroup other) {
        if (other.container == this) {
            return true;
        }
        for (Buffer buffer : other.buffers) {
            if (!contains(buffer)) {
                return false;
            }
        }
        other.container = this;
        return true;
    }

    public int size() {
        return buffers.length;
    }

    public Buffer get(int index) {
        return buffers[index];
    }

    private static Buffer[] dependent(Buffer[] buffers) {
        Buffer[] found = buffers.clone();
        int count = 0;
        for (Buffer buffer : buffers) {
            if (DEPENDENT.isTrueFor(buffer.getClass())) {
                found[count++] = buffer;
            }
        }
        return count == found.length ? found : Arrays.copyOf(found, count);
    }

    /** How many of them depend on something else, such as an arena or a file, and are asked at every run. */
    int dependentCount() {
        return dependent.length;
    }

    Buffer dependent(int index) {
        return dependent[index];
    }

    /** A buffer that is closed; null if all are open. Takes constant time as long as no buffer of any group is closed. */
    public @Nullable Buffer findClosed() {
        int now = LeaseCount.closings();
        if (now != openAt) {
            for (Buffer buffer : buffers) {
                if (buffer.isClosed()) {
                    return buffer;
                }
            }
            openAt = now;
        }
        return null;
    }

    /**
     * Checks that all are open.
     *
     * @throws dev.stowage.error.ClosedException if one is closed
     */
    void requireOpen() {
        Buffer closed = findClosed();
        if (closed != null) {
            closed.requireOpen();
        }
    }

    /** Whether one of them is read-only. */
    public boolean isAnyReadOnly() {
        for (Buffer buffer : buffers) {
            if (buffer.isReadOnly()) {
                return true;
            }
        }
        return false;
    }
}
