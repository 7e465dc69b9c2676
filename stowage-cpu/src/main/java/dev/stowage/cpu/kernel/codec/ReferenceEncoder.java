package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Encodes a type that has no encoder of its own here through the reference, and for the encoders that do the rare blocks
 * whose numbers are infinite, NaN, or too small to divide by.
 */
final class ReferenceEncoder extends RowEncoder {

    /** A multiple of the blocks of all types; as many at a time keep what an encoder of the reference needs from mattering. */
    private static final int AT_ONCE = 4096;

    /** Encoders are shared by threads, and a new array for every row would be garbage. */
    private static final ThreadLocal<float[]> FLOATS = ThreadLocal.withInitial(() -> new float[AT_ONCE]);

    private final BlockFormat format;

    ReferenceEncoder(ElementType type) {
        this.format = BlockFormat.of(type);
    }

    @Override
    public void encode(long from, long to, long elements) {
        float[] floats = FLOATS.get();
        long target = to;
        for (long done = 0; done < elements; done += AT_ONCE) {
            int count = (int) Math.min(AT_ONCE, elements - done);
            MemorySegment.copy(Memory.ALL, Memory.FLOAT, from + done * Float.BYTES, floats, 0, count);
            format.quantize(floats, 0, count, Memory.ALL, target);
            target += format.type().rowBytes(count);
        }
    }
}
