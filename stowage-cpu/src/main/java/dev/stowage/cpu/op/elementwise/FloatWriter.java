package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.kernel.copy.StridedKernels;
import dev.stowage.cpu.kernel.math.UnaryLoop;
import dev.stowage.tensor.ElementType;

/**
 * Takes what loops over floats compute to the elements of a result; the counterpart of {@link FloatReader}.
 */
final class FloatWriter {

    private final ElementType type;
    private final long step;
    private final boolean dense;
    private final RowEncoder encoder;

    /** A writer of f32, f16 or bf16 with that many bytes from one to the next. */
    FloatWriter(ElementType type, long step) {
        this.type = type;
        this.step = step;
        this.dense = step == type.bytesPerBlock();
        this.encoder = RowEncoder.of(type);
    }

    /** The bytes from one element to the next. */
    long step() {
        return step;
    }

    /** Whether the elements are dense floats. */
    boolean isDirect() {
        return dense && type == ElementType.F32;
    }

    double nanosPerElement() {
        return isDirect() ? 0 : dense ? 0.2 : 1;
    }

    /** Where to write {@code count} floats that are to become the elements from {@code address} on. */
    long target(long address, long count, long scratch) {
        return isDirect() && count % UnaryLoop.STEP == 0 ? address : scratch;
    }

    /**
     * Copies what was written to {@link #target} to its place.
     *
     * @param packed memory for as many 16-bit elements
     */
    void write(long address, long count, long scratch, long packed) {
        if (type == ElementType.F32) {
            if (!dense || count % UnaryLoop.STEP != 0) {
                StridedKernels.scatterInts(scratch, address, step, count);
            }
        } else if (dense) {
            encoder.encode(scratch, address, count);
        } else {
            encoder.encode(scratch, packed, count);
            StridedKernels.scatterShorts(packed, address, step, count);
        }
    }
}
