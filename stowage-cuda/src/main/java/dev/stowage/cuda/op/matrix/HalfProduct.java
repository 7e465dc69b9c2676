package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.op.unit.Exactness;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/**
 * A product of f16, bf16 or quantised weights with many columns by {@link Gemm}. Weights that tensor cores cannot read
 * as they are become f16 in scratch memory, a slice of them at a time.
 */
final class HalfProduct {

    /** From how many columns on it is faster than products that read the weights once per few columns. */
    private static final int MIN_COLUMNS = 32;

    private static final int MIN_ROWS = 32;
    private static final int MIN_DEPTH = 32;
    private static final int MAX_GRID = 65535;

    /**
     * So few columns that meet quantised weights of a small matrix are not rounded to f16 after they have been rounded to
     * eight bits, and neither are the weights ({@link Exactness}).
     */
    private static final int FEW_COLUMNS = 128;

    /** The most scratch memory for weights, and about the most for tokens of several matrices. */
    static final long MAX_SCRATCH = 256L << 20;

    private HalfProduct() {}

    static boolean fits(Product product) {
        return !isFloat(product.a())
                && product.columns() >= MIN_COLUMNS
                && !isExact(product.a(), product.columns())
                && product.rows() >= MIN_ROWS
                && product.depth() >= MIN_DEPTH
                && product.result().stride(0) == Float.BYTES
                && product.matrices() <= MAX_GRID
                && Math.ceilDiv(product.rows(), MmaTile.SMALL.edge()) <= MAX_GRID
                && isBounded(product);
    }

    /** Whether few columns meet quantised weights of a small matrix, or of several. */
    static boolean isExact(Operand weights, long columns) {
        return weights.type().isQuantized()
                && Exactness.isSmall(weights.dim(0), weights.dim(1))
                && columns <= FEW_COLUMNS;
    }

    private static boolean isFloat(Operand operand) {
        return operand.type() == ElementType.F32;
    }

    /** Whether numbers of elements and scratch memory stay within what one launch takes. */
    private static boolean isBounded(Product product) {
        long depth = Gemm.paddedDepth(product.depth());
        long matrices = product.a().dim(2) * product.a().dim(3);
        boolean areWeightsSliced = product.matrices() == 1 || isDirect(product.a());
        return (areWeightsSliced || HalfMatrix.bytes(product.a().dim(1) * matrices, depth) <= MAX_SCRATCH)
                && product.columns() * product.matrices() < Integer.MAX_VALUE / depth * Narrowing.ELEMENTS;
    }

    static void launch(Product product, BoundTensor columns, LaunchSink out) {
        if (product.matrices() == 1) {
            GemmTarget target =
                    GemmTarget.of(product.result().address(), product.result().stride(1) / Float.BYTES);
            Gemm.launch(
                    out,
                    weights(product.a()),
                    TokenRows.halves(out, columns, product.a().type()),
                    target);
        } else {
            long tokens = HalfMatrix.bytes(product.columns(), Gemm.paddedDepth(product.depth()));
            for (Product part : product.inPartsOf(Math.max(1, MAX_SCRATCH / tokens))) {
                launchBatch(part, out);
            }
        }
    }

    /** The rows of the first matrix of a factor. */
    static HalfWeights weights(Operand a) {
        return new HalfWeights() {

            @Override
            public ElementType type() {
                return a.type();
            }

            @Override
            public long rows() {
                return a.dim(1);
            }

            @Override
            public Optional<HalfMatrix> inPlace(Gpu gpu) {
                return isDirect(a) ? Optional.of(direct(a)) : Optional.empty();
            }

            @Override
            public void write(LaunchSink out, long first, HalfMatrix target) {
                Narrowing.write(out, a, first, target);
            }
        };
    }

    private static void launchBatch(Product product, LaunchSink out) {
        Operand a = product.a();
        HalfMatrix tokens = TokenRows.halves(out, product.b(), a.type()).withRows(product.columns());
        boolean isDirect = isDirect(a);
        HalfMatrix weights =
                isDirect ? direct(a) : Narrowing.all(out, a, tokens.type()).withRows(a.dim(1));
        long matrix = weights.rowStride() * a.dim(1);
        out.add(Gemm.batch(
                out.gpu(),
                operands(weights, tokens, product),
                new Gemm.Batch(
                        product.result().dim(2),
                        product.result().dim(3),
                        product.b().dim(2) / a.dim(2),
                        product.b().dim(3) / a.dim(3),
                        tokens.rowStride() * product.columns(),
                        isDirect ? a.stride(2) / 2 : matrix,
                        isDirect ? a.stride(3) / 2 : matrix * a.dim(2),
                        product.result().stride(2) / Float.BYTES,
                        product.result().stride(3) / Float.BYTES)));
    }

    private static GemmOperands operands(HalfMatrix weights, HalfMatrix tokens, Product product) {
        return GemmTarget.of(product.result().address(), product.result().stride(1) / Float.BYTES)
                .operands(weights, tokens, 0);
    }

    /** Whether tensor cores can read the rows of a factor where they are. */
    static boolean isDirect(Operand a) {
        return HalfType.of(a.type()).is(a.type()) && a.hasVectorRows() && a.dim(0) % Narrowing.ELEMENTS == 0;
    }

    /** The rows of the first matrix of a factor where they are. */
    static HalfMatrix direct(Operand a) {
        // A single row may have any stride.
        long rowBytes = a.dim(1) > 1 ? a.stride(1) : HalfMatrix.bytes(1, a.dim(0));
        Launch.Argument base = new Launch.Scalar(ParameterType.POINTER, a.address());
        return new HalfMatrix(base, a.dim(1), a.dim(0), rowBytes, HalfType.of(a.type()));
    }
}
