package dev.stowage.gguf;

import dev.stowage.memory.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Moves bytes between memory and a file in pieces, whatever the memory is: files are read into arrays of bytes, and
 * channels write only native memory and arrays of bytes, the latter through native memory of the size of each call.
 */
final class Pieces {

    static final int SIZE = 4 << 20;

    /** The bytes of an array that is read into first, where memory is not native; more at once is not faster. */
    private static final int READ_SIZE = 1 << 20;

    private Pieces() {}

    /** Fills all of {@code target} from the file, and says how many bytes it got before the file ended. */
    static long read(OpenFile file, long position, MemorySegment target) throws IOException {
        return target.isNative() ? readNative(file, position, target) : readHeap(file, position, target);
    }

    private static long readNative(OpenFile file, long position, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            ByteBuffer piece = target.asSlice(done, Math.min(SIZE, target.byteSize() - done))
                    .asByteBuffer();
            int got = file.read(piece, position + done);
            if (got < 0) {
                return done;
            }
            done += got;
        }
        return done;
    }

    private static long readHeap(OpenFile file, long position, MemorySegment target) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(READ_SIZE, target.byteSize()));
        long done = 0;
        while (done < target.byteSize()) {
            piece.clear().limit((int) Math.min(piece.capacity(), target.byteSize() - done));
            int got = file.read(piece, position + done);
            if (got < 0) {
                return done;
            }
            MemorySegment.copy(MemorySegment.ofBuffer(piece.flip()), 0, target, done, got);
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
