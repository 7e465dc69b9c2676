package dev.stowage.rpc.client;

import dev.stowage.rpc.wire.Link;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Sends and receives bytes of any number: from and to where they are if that is native memory, else through a piece of it.
 * One thread at a time.
 */
final class Pieces {

    private static final int PIECE_BYTES = 4 << 20;

    private ByteBuffer piece = ByteBuffer.allocate(0);

    private ByteBuffer piece() {
        if (piece.capacity() == 0) {
            piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        }
        return piece;
    }

    /** Sends some bytes and then those of a segment. */
    void send(Link link, ByteBuffer before, MemorySegment from) throws IOException {
        for (long at = 0; at < from.byteSize(); ) {
            long length = Math.min(PIECE_BYTES, from.byteSize() - at);
            MemorySegment part = from.asSlice(at, length);
            link.send(before, part.isNative() ? part.asByteBuffer() : copied(part));
            at += length;
        }
    }

    private ByteBuffer copied(MemorySegment part) {
        ByteBuffer copy = piece().clear().limit((int) part.byteSize());
        MemorySegment.copy(part, 0, MemorySegment.ofBuffer(copy), 0, part.byteSize());
        return copy;
    }

    /** Fills a segment. */
    void receive(Link from, MemorySegment target) throws IOException {
        for (long at = 0; at < target.byteSize(); ) {
            long length = Math.min(PIECE_BYTES, target.byteSize() - at);
            MemorySegment part = target.asSlice(at, length);
            if (part.isNative()) {
                from.receive(part.asByteBuffer());
            } else {
                ByteBuffer copy = piece().clear().limit((int) length);
                from.receive(copy);
                MemorySegment.copy(MemorySegment.ofBuffer(copy.flip()), 0, part, 0, length);
            }
            at += length;
        }
    }
}
