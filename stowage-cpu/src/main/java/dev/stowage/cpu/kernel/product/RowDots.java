package dev.stowage.cpu.kernel.product;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.tensor.ElementType;

/**
 * Multiplies four rows of weights of one type with a column of floats. Types with a loop of their own in {@link DotKernels}
 * are multiplied as they are read; of all others the rows are decoded first.
 */
public abstract class RowDots {

    /** Decoded rows are stored here, after what the kernels need for their results. */
    private static final long WORKSPACE_OFFSET = DotKernels.RESULT_BYTES;

    /** For rows of that type and length. */
    public static RowDots of(ElementType type, long elements) {
        int count = Math.toIntExact(elements);
        return switch (type) {
            case F32 -> new Floats(count);
            case F16 -> new Halves(count);
            case BF16 -> new BrainFloats(count);
            case Q8_0 -> new Q80(count / type.blockSize());
            default -> new Decoded(RowDecoder.of(type), count);
        };
    }

    /** How many bytes it needs from the first sum on. */
    public long workspaceBytes() {
        return WORKSPACE_OFFSET;
    }

    /**
     * Multiplies four rows.
     *
     * @param rows where the first begins
     * @param stride bytes from row to row; 0 to have one row only
     * @param column the numbers to multiply with
     * @param sums where the four results go; the workspace follows them
     */
    public abstract void multiply(long rows, long stride, long column, long sums);

    private static final class Floats extends RowDots {

        private final int elements;

        Floats(int elements) {
            this.elements = elements;
        }

        @Override
        public void multiply(long rows, long stride, long column, long sums) {
            DotKernels.floats(rows, stride, column, elements, sums);
        }
    }

    private static final class Halves extends RowDots {

        private final int elements;
        private final RowDots exact;

        Halves(int elements) {
            this.elements = elements;
            this.exact = new Decoded(RowDecoder.of(ElementType.F16), elements);
        }

        @Override
        public long workspaceBytes() {
            return exact.workspaceBytes();
        }

        @Override
        public void multiply(long rows, long stride, long column, long sums) {
            if (!DotKernels.halves(rows, stride, column, elements, sums)) {
                exact.multiply(rows, stride, column, sums);
            }
        }
    }

    private static final class BrainFloats extends RowDots {

        private final int elements;

        BrainFloats(int elements) {
            this.elements = elements;
        }

        @Override
        public void multiply(long rows, long stride, long column, long sums) {
            DotKernels.brainFloats(rows, stride, column, elements, sums);
        }
    }

    private static final class Q80 extends RowDots {

        private final int blocks;

        Q80(int blocks) {
            this.blocks = blocks;
        }

        @Override
        public void multiply(long rows, long stride, long column, long sums) {
            DotKernels.q80(rows, stride, column, blocks, sums);
        }
    }

    /** Decodes each row before it is multiplied. */
    private static final class Decoded extends RowDots {

        private final RowDecoder decoder;
        private final int elements;

        Decoded(RowDecoder decoder, int elements) {
            this.decoder = decoder;
            this.elements = elements;
        }

        @Override
        public long workspaceBytes() {
            return WORKSPACE_OFFSET + (long) DotKernels.ROWS * elements * Float.BYTES;
        }

        @Override
        public void multiply(long rows, long stride, long column, long sums) {
            long decoded = sums + WORKSPACE_OFFSET;
            long rowBytes = (long) elements * Float.BYTES;
            int count = stride == 0 ? 1 : DotKernels.ROWS;
            for (int row = 0; row < count; row++) {
                decoder.decode(rows + row * stride, decoded + row * rowBytes, elements);
            }
            DotKernels.floats(decoded, stride == 0 ? 0 : rowBytes, column, elements, sums);
        }
    }
}
