package dev.stowage.memory;

import dev.stowage.internal.IdentitySet;
import org.jspecify.annotations.Nullable;

/** The buffers that the tensors of a graph are stored in, each once. Immutable. */
public final class BufferGroup {

    private final Buffer[] buffers;

    private BufferGroup(Buffer[] buffers) {
        this.buffers = buffers;
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
        Buffer[] buffers = new Buffer[distinct.size()];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = distinct.get(i);
        }
        return new BufferGroup(buffers);
    }

    public int size() {
        return buffers.length;
    }

    public Buffer get(int index) {
        return buffers[index];
    }

    /** A buffer that is closed; null if all are open. */
    public @Nullable Buffer findClosed() {
        for (Buffer buffer : buffers) {
            if (buffer.isClosed()) {
                return buffer;
            }
        }
        return null;
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
