package dev.stowage.reference.quant;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/** Half-precision floats: a block is one element of two bytes. */
final class F16 extends ScalarFormat {

    F16() {
        super(ElementType.F16);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        target[from] = BlockBytes.f16(blocks, at);
    }

    @Override
    BlockEncoder encoder() {
        return (source, from, blocks, at) -> BlockBytes.put16(blocks, at, FloatFormats.toHalf(source[from]));
    }
}
