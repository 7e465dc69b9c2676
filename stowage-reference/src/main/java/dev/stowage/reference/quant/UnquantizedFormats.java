package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.FloatFormats;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/** The formats of f32, f16 and bf16, in which a block is a single element. */
final class UnquantizedFormats {

    private UnquantizedFormats() {}

    /** Single-precision floats of four bytes. */
    static final class F32 extends ScalarFormat {

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

    /** Half-precision floats of two bytes. */
    static final class F16 extends ScalarFormat {

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

    /** The upper halves of single-precision floats, two bytes each. */
    static final class BF16 extends ScalarFormat {

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
}
