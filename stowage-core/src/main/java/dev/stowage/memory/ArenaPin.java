package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.internal.Threads;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a foreign arena from being closed, for kernels that reach its memory by address and cannot check
 * with each access whether it is still there. While it is pinned, {@code Arena.close()} is refused with an {@link
 * IllegalStateException}.
 *
 * <p>The JDK has no public call for that, but every operation of a channel on a part of the memory pins the arena until
 * the operation is over. So a thread writes one byte of the segment, after more bytes than a pipe holds, into a pipe
 * that is never read:
 *
 * <pre>
 *   write [ 64 KiB | 64 KiB | ... | byte of the segment ] ──► pipe (full)      blocks until the pipe is closed
 * </pre>
 *
 * <p>There is one such thread per arena, however many buffers are in it. It ends with the last buffer that is closed,
 * or that is not reachable any more.
 */
final class ArenaPin {

    /** More in all than any system lets a pipe hold. */
    private static final int FILL_PARTS = 32;

    private static final int FILL_BYTES = 1 << 16;
    private static final long STACK_BYTES = 1 << 17;
    private static final long POLL_NANOS = 20_000;

    private static final Cleaner CLEANER = Cleaner.create();
    private static final Map<MemorySegment.Scope, ArenaPin> PINS = new HashMap<>();

    private final MemorySegment.Scope scope;
    private final Pipe pipe;
    private final Thread thread;
    private int users;
    private volatile @Nullable Throwable end;

    private ArenaPin(MemorySegment segment) throws IOException {
        this.scope = segment.scope();
        this.pipe = Pipe.open();
        ByteBuffer[] bytes = new ByteBuffer[FILL_PARTS + 1];
        Arrays.fill(bytes, ByteBuffer.allocateDirect(FILL_BYTES));
        Arrays.setAll(bytes, i -> i < FILL_PARTS ? bytes[i].duplicate() : firstByte(segment));
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("stowage-arena-pin")
                .stackSize(STACK_BYTES)
                .unstarted(() -> block(bytes));
    }

    private static ByteBuffer firstByte(MemorySegment segment) {
        return segment.asSlice(0, 1).asByteBuffer();
    }

    /**
     * Pins the arena of a segment, which is native, not empty and not confined to a thread, for a user of it.
     *
     * @return what ends it; the end of the user's reachability does too
     * @throws ClosedException if the arena is closed
     * @throws AccessException if the arena cannot be pinned
     */
    static Cleaner.Cleanable pin(MemorySegment segment, Object user) {
        ArenaPin pin;
        synchronized (PINS) {
            pin = PINS.get(segment.scope());
            if (pin == null) {
                pin = started(segment);
                PINS.put(pin.scope, pin);
            }
            pin.users++;
        }
        return CLEANER.register(user, pin::leave);
    }

    private static ArenaPin started(MemorySegment segment) {
        ArenaPin made = null;
        try {
            made = new ArenaPin(segment);
            made.start();
            return made;
        } catch (IOException | OutOfMemoryError | RuntimeException e) {
            if (made != null) {
                made.stop();
            }
            AccessChecks.requireUsable(segment);
            throw new AccessException("the arena of a segment of " + segment.byteSize()
                    + " bytes cannot be kept open while it is computed on, which takes a thread and a pipe: " + e
                    + ". Free some, or copy the tensors into a buffer of HostBufferType");
        }
    }

    /** Returns when the arena is pinned: the first bytes get into the pipe when all that is written has been pinned. */
    private void start() throws IOException {
        pipe.source().configureBlocking(false);
        thread.start();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (pipe.source().read(one) == 0) {
            Throwable failure = end;
            if (failure != null) {
                throw new IOException(failure);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private void block(ByteBuffer[] bytes) {
        try {
            ByteBuffer last = bytes[FILL_PARTS];
            while (last.hasRemaining()) {
                pipe.sink().write(bytes);
            }
            end = new IOException("the pipe has taken " + FILL_PARTS * FILL_BYTES + " bytes");
        } catch (IOException | RuntimeException e) {
            end = e;
        }
    }

    private void leave() {
        synchronized (PINS) {
            users--;
            if (users == 0) {
                PINS.remove(scope);
                stop();
            }
        }
    }

    /** Ends the thread and waits for its end, so that the arena can be closed at once. */
    private void stop() {
        close(pipe.sink());
        close(pipe.source());
        Threads.join(thread);
    }

    private static void close(AutoCloseable end) {
        try {
            end.close();
        } catch (Exception _) {
            // The other end is closed too, and the thread waits for nothing else.
        }
    }
}
