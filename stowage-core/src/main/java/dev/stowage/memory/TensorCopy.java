package dev.stowage.memory;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * How the bytes of one tensor get into another. The ways are tried in this order, which is ggml's: write from host
 * memory, read into host memory, let the target's buffer copy directly, and last bounce through a piece of host memory.
 */
final class TensorCopy {

    /** The bytes of host memory a bounced copy holds at most. */
    static final long STAGING_BYTES = 4L << 20;

    private TensorCopy() {}

    static void copy(Tensor from, Tensor to) {
        if (!from.layout().equals(to.layout())) {
            throw new InvalidTensorException("cannot copy " + from.describe() + " to " + to.describe()
                    + ": type, shape and strides must be the same");
        }
        Buffer source = Buffer.of(from);
        Buffer target = Buffer.of(to);
        source.requireOpen();
        target.requireOpen();
        boolean onItself = source.is(target) && from.storageOffset() == to.storageOffset();
        if (onItself) {
            return;
        }
        target.requireWritable();
        if (from.byteSize() > 0) {
            copy(source, from.storageOffset(), target, to.storageOffset(), from.byteSize());
        }
    }

    private static void copy(Buffer source, long sourceOffset, Buffer target, long targetOffset, long length) {
        @Nullable MemorySegment hostSource = source.hostSegment();
        @Nullable MemorySegment hostTarget = target.hostSegment();
        if (hostSource != null) {
            Buffer.requireUsable(hostSource);
            target.write(targetOffset, hostSource.asSlice(sourceOffset, length));
        } else if (hostTarget != null) {
            Buffer.requireUsable(hostTarget);
            source.read(sourceOffset, hostTarget.asSlice(targetOffset, length));
        } else {
            boolean overlapping = source.is(target) && Math.abs(sourceOffset - targetOffset) < length;
            if (overlapping || !target.copyFrom(source, sourceOffset, targetOffset, length)) {
                bounce(source, sourceOffset, target, targetOffset, length);
            }
        }
    }

    private static void bounce(Buffer source, long sourceOffset, Buffer target, long targetOffset, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment staging = arena.allocate(Math.min(length, STAGING_BYTES), Long.BYTES);
            // A target that begins within the source would overwrite what is still to be read: take the end first.
            boolean backwards = targetOffset > sourceOffset;
            for (long done = 0; done < length; ) {
                long step = Math.min(length - done, staging.byteSize());
                long at = backwards ? length - done - step : done;
                MemorySegment piece = staging.asSlice(0, step);
                source.read(sourceOffset + at, piece);
                target.write(targetOffset + at, piece);
                done += step;
            }
        }
    }
}
