package dev.stowage.cpu.op.operand;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.machine.row.RowKernels;
import dev.stowage.cpu.machine.row.RowSupport;
import dev.stowage.cpu.machine.row.RowType;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/**
 * Decodes rows at a stride into rows of floats at another: by machine code in one call where there is some, which also fetches
 * what will be decoded next; else row by row.
 */
public abstract class RowBlockDecoder {

    /** The decoder of rows of a type and a length. */
    public static RowBlockDecoder of(ElementType type, long elements) {
        Optional<RowType> rows = RowType.of(type);
        Optional<RowKernels> kernels = RowSupport.kernels(elements);
        return rows.isPresent() && kernels.isPresent()
                ? new AtOnce(kernels.get().toFloats(rows.get()), (int) elements)
                : new RowByRow(RowDecoder.of(type), elements);
    }

    /**
     * Decodes rows.
     *
     * @param rows how many there are; may be 0
     * @param next bytes from these rows to those that are decoded next; any number
     */
    public abstract void decode(long from, long fromStride, long to, long toStride, int rows, long next);

    private static final class AtOnce extends RowBlockDecoder {

        /** So many elements take some ten microseconds, for which no safepoint can be reached. */
        private static final int ELEMENTS_OF_A_CALL = 1 << 18;

        private final RowKernels.Conversion conversion;
        private final int elements;
        private final int rowsOfACall;

        AtOnce(RowKernels.Conversion conversion, int elements) {
            this.conversion = conversion;
            this.elements = elements;
            this.rowsOfACall = Math.max(1, ELEMENTS_OF_A_CALL / elements);
        }

        @Override
        public void decode(long from, long fromStride, long to, long toStride, int rows, long next) {
            for (int row = 0; row < rows; row += rowsOfACall) {
                int count = Math.min(rowsOfACall, rows - row);
                conversion.convert(
                        from + row * fromStride, fromStride, to + row * toStride, toStride, count, elements, next);
            }
        }
    }

    private static final class RowByRow extends RowBlockDecoder {

        private final RowDecoder decoder;
        private final long elements;

        RowByRow(RowDecoder decoder, long elements) {
            this.decoder = decoder;
            this.elements = elements;
        }

        @Override
        public void decode(long from, long fromStride, long to, long toStride, int rows, long next) {
            for (int row = 0; row < rows; row++) {
                decoder.decode(from + row * fromStride, to + row * toStride, elements);
            }
        }
    }
}
