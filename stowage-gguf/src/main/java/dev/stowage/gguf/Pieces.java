package dev.stowage.gguf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Moves bytes between memory and a file in pieces: whatever the memory is, channels take only native memory and arrays
 * of bytes, and copy the latter through native memory of the size of each call.
 */
final class Pieces {

    static final int SIZE = 4 << 20;

    private Pieces() {}

    /** Fills all of {@code target} from the file, and says how many bytes it got before the file ended. */
    static long read(FileChannel channel, long position, MemorySegment target) throws IOException {
        boolean direct = isDirect(target);
        long done = 0;
        while (done < target.byteSize()) {
            int length = (int) Math.min(SIZE, target.byteSize() - done);
            MemorySegment piece = target.asSlice(done, length);
            ByteBuffer buffer = direct ? piece.asByteBuffer() : ByteBuffer.allocate(length);
            int got = channel.read(buffer, position + done);
            if (got < 0) {
                return done;
            }
            if (!direct) {
                MemorySegment.copy(MemorySegment.ofBuffer(buffer.flip()), 0, piece, 0, got);
            }
            done += got;
        }
        return done;
    }

    /** Writes all of {@code source} into the file. */
    static void write(FileChannel channel, long position, MemorySegment source) throws IOException {
        boolean direct = isDirect(source);
        for (long at = 0; at < source.byteSize(); at += SIZE) {
            int length = (int) Math.min(SIZE, source.byteSize() - at);
            MemorySegment piece = source.asSlice(at, length);
            if (!direct) {
                MemorySegment copy = MemorySegment.ofArray(new byte[length]);
                piece = copy.copyFrom(piece);
            }
            ByteBuffer buffer = piece.asByteBuffer();
            long start = position + at;
            while (buffer.hasRemaining()) {
                start += channel.write(buffer, start);
            }
        }
    }

    private static boolean isDirect(MemorySegment segment) {
        return segment.isNative()
                || segment.heapBase().filter(byte[].class::isInstance).isPresent();
    }
}
