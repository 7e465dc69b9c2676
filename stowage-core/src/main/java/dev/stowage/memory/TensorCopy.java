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
        boolean isSame = from.serial() == to.serial();
        if (isSame) {
            return;
        }
        target.requireWritable();
        if (from.byteSize() > 0) {
            copy(source, from, target, to);
        }
    }

    private static void copy(Buffer source, Tensor from, Buffer target, Tensor to) {
        long length = from.byteSize();
        @Nullable MemorySegment hostSource = source.hostSegment();
        @Nullable MemorySegment hostTarget = target.hostSegment();
        if (hostSource != null) {
            Buffer.requireUsable(hostSource);
            target.write(to, to.storageOffset(), hostSource.asSlice(from.storageOffset(), length));
        } else if (hostTarget != null) {
            Buffer.requireUsable(hostTarget);
            source.read(from, from.storageOffset(), hostTarget.asSlice(to.storageOffset(), length));
        } else {
            if (overlapInPart(source, from, target, to) || !target.copyFrom(from, to)) {
                bounce(source, from, target, to);
            }
        }
    }

    private static boolean overlapInPart(Buffer source, Tensor from, Buffer target, Tensor to) {
        long distance = Math.abs(from.storageOffset() - to.storageOffset());
        return source.is(target) && !source.isHost() && distance > 0 && distance < from.byteSize();
    }

    private static void bounce(Buffer source, Tensor from, Buffer target, Tensor to) {
        long length = from.byteSize();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment staging = arena.allocate(Math.min(length, STAGING_BYTES), Long.BYTES);
            // A target that begins within the source would overwrite what is still to be read: take the end first.
            boolean backwards = to.storageOffset() > from.storageOffset();
            for (long done = 0; done < length; ) {
                long step = Math.min(length - done, staging.byteSize());
                long at = backwards ? length - done - step : done;
                MemorySegment piece = staging.asSlice(0, step);
                source.read(from, from.storageOffset() + at, piece);
                target.write(to, to.storageOffset() + at, piece);
                done += step;
            }
        }
    }
}
