package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.reference.quant.BlockFormat;
import java.lang.foreign.MemorySegment;

/** Decodes a type that has no decoder of its own here, block by block through the reference. */
final class ReferenceDecoder extends RowDecoder {

    /** Enough for a block of any type. */
    private static final int LARGEST_BLOCK = 256;

    /** Decoders are shared by threads, and a new array for every row would be garbage. */
    private static final ThreadLocal<float[]> BLOCKS = ThreadLocal.withInitial(() -> new float[LARGEST_BLOCK]);

    private final BlockFormat format;

    ReferenceDecoder(BlockFormat format) {
        this.format = format;
    }

    @Override
    public void decode(long from, long to, long elements) {
        float[] block = BLOCKS.get();
        int size = format.type().blockSize();
        int bytes = format.type().bytesPerBlock();
        long source = from;
        for (long done = 0; done < elements; done += size) {
            format.dequantize(Memory.ALL, source, block, 0, size);
            MemorySegment.copy(block, 0, Memory.ALL, Memory.FLOAT, to + done * Float.BYTES, size);
            source += bytes;
        }
    }
}
