package dev.stowage.reference.quant;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/** Plain floats: a block is one element of four bytes. */
final class F32 extends ScalarFormat {

    F32() {
        super(ElementType.F32);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        target[from] = BlockBytes.f32(blocks, at);
    }

    @Override
    BlockEncoder encoder() {
        return (source, from, blocks, at) -> BlockBytes.putF32(blocks, at, source[from]);
    }
}
