package dev.stowage.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Copies the bytes of one tensor to another, in the first of these ways that is possible, in ggml's order: write from
 * host memory, read into host memory, let the target's buffer copy directly, go through a staging buffer in host
 * memory.
 */
final class TensorCopy {

    /** The largest size of the staging buffer. */
    static final long STAGING_BYTES = 4L << 20;

    private TensorCopy() {}

    static void copy(TensorPair tensors) {
        Buffer source = tensors.from().buffer();
        Buffer target = tensors.to().buffer();
        source.acquire();
        try {
            target.acquire();
            try {
                copyLeased(tensors.from(), tensors.to());
            } finally {
                target.releaseLease();
            }
        } finally {
            source.releaseLease();
        }
    }

    /** As {@link #copy}, for a caller that holds leases on both buffers. */
    static void copyLeased(BoundTensor from, BoundTensor to) {
        if (from.equals(to)) {
            return;
        }
        to.buffer().requireWritable();
        if (from.byteSize() > 0) {
            try {
                copy(from.buffer(), from, to.buffer(), to);
            } catch (IllegalStateException e) {
                throw AccessChecks.freed(e);
            }
        }
    }

    private static void copy(Buffer source, BoundTensor from, Buffer target, BoundTensor to) {
        long length = from.byteSize();
        @Nullable MemorySegment hostSource = source.hostSegment();
        @Nullable MemorySegment hostTarget = target.hostSegment();
        if (hostSource != null) {
            AccessChecks.requireUsable(hostSource);
            target.doSet(to, to.offset(), hostSource.asSlice(from.offset(), length));
        } else if (hostTarget != null) {
            AccessChecks.requireUsable(hostTarget);
            source.doGet(from, from.offset(), hostTarget.asSlice(to.offset(), length));
        } else {
            if (overlapInPart(source, from, target, to) || !target.doTryCopy(from, to)) {
                bounce(source, from, target, to);
            }
        }
    }

    private static boolean overlapInPart(Buffer source, BoundTensor from, Buffer target, BoundTensor to) {
        long distance = Math.abs(from.offset() - to.offset());
        return source.is(target) && !source.isHost() && distance > 0 && distance < from.byteSize();
    }

    private static void bounce(Buffer source, BoundTensor from, Buffer target, BoundTensor to) {
        long length = from.byteSize();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment staging = arena.allocate(Math.min(length, STAGING_BYTES), Long.BYTES);
            // A target that begins within the source would overwrite what is still to be read: take the end first.
            boolean backwards = to.offset() > from.offset();
            for (long done = 0; done < length; ) {
                long step = Math.min(length - done, staging.byteSize());
                long at = backwards ? length - done - step : done;
                MemorySegment piece = staging.asSlice(0, step);
                source.doGet(from, from.offset() + at, piece);
                target.doSet(to, to.offset() + at, piece);
                done += step;
            }
        }
    }
}
