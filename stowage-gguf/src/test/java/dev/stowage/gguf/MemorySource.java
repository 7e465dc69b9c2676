package dev.stowage.gguf;

import java.nio.ByteBuffer;

/** An array of bytes in place of a file. */
final class MemorySource implements ByteSource {

    private final byte[] bytes;

    MemorySource(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer target, long position) {
        if (position >= bytes.length) {
            return -1;
        }
        int count = (int) Math.min(target.remaining(), bytes.length - position);
        target.put(bytes, (int) position, count);
        return count;
    }
}
