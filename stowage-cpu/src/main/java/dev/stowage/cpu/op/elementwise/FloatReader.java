package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.copy.StridedKernels;
import dev.stowage.cpu.kernel.math.UnaryLoop;
import dev.stowage.tensor.ElementType;

/**
 * Gives loops over floats the elements of an operand: in place, if they are contiguous floats that fill whole vectors,
 * else from scratch memory that they are copied to.
 */
final class FloatReader {

    private final ElementType type;
    private final long step;
    private final boolean one;
    private final boolean dense;
    private final RowDecoder decoder;

    private FloatReader(ElementType type, long step, boolean one) {
        this.type = type;
        this.step = step;
        this.one = one;
        this.dense = step == type.bytesPerBlock();
        this.decoder = RowDecoder.of(type);
    }

    /** A reader of f32, f16 or bf16 with that many bytes from one to the next. */
    static FloatReader of(ElementType type, long step) {
        return new FloatReader(type, step, false);
    }

    /** A reader of one f32, f16 or bf16 that stands for all elements. */
    static FloatReader ofOne(ElementType type) {
        return new FloatReader(type, 0, true);
    }

    /** Whether there is one element that stands for all. */
    boolean isOne() {
        return one;
    }

    /** The bytes from one element to the next. */
    long step() {
        return step;
    }

    /** Whether the elements are dense floats. */
    boolean isDirect() {
        return dense && type == ElementType.F32;
    }

    /** Roughly what it takes to bring an element to where the loops find it. */
    double nanosPerElement() {
        return isDirect() || one ? 0 : dense ? 0.1 : 1;
    }

    /**
     * The address of {@code count} elements, from {@code address} on, as floats; they may be brought to {@code
     * scratch}, and zeros after them fill the last vector.
     */
    long read(long address, long count, long scratch) {
        if (isDirect() && count % UnaryLoop.STEP == 0) {
            return address;
        }
        if (dense && type != ElementType.F32) {
            decoder.decode(address, scratch, count);
        } else {
            gather(address, one ? 1 : count, scratch);
        }
        if (!one) {
            fillLastVector(scratch, count);
        }
        return scratch;
    }

    /**
     * Some loops compute a whole vector another way if one of its lanes needs that. So what an earlier node left in the
     * unused lanes must not remain there: it would decide over the last bits of the elements beside it.
     */
    private static void fillLastVector(long scratch, long count) {
        for (long i = count; i % UnaryLoop.STEP != 0; i++) {
            Memory.setFloat(scratch + i * Float.BYTES, 0f);
        }
    }

    private void gather(long address, long count, long scratch) {
        switch (type) {
            case F32 -> StridedKernels.gatherFloats(address, step, scratch, count);
            case F16 -> StridedKernels.gatherHalves(address, step, scratch, count);
            default -> StridedKernels.gatherBrainFloats(address, step, scratch, count);
        }
    }
}
