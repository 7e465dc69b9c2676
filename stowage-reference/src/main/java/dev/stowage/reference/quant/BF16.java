package dev.stowage.reference.quant;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/** The upper halves of floats: a block is one element of two bytes. */
final class BF16 extends ScalarFormat {

    BF16() {
        super(ElementType.BF16);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        target[from] = FloatFormats.fromBrainFloat((short) BlockBytes.u16(blocks, at));
    }

    @Override
    BlockEncoder encoder() {
        return (source, from, blocks, at) -> BlockBytes.put16(blocks, at, FloatFormats.toBrainFloat(source[from]));
    }
}
