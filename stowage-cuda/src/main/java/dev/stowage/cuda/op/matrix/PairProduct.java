package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import java.util.Optional;

/**
 * A MUL_MAT_ID of many tokens by {@link Gemm}: pairs of a token and a matrix are sorted by matrix on the device, the rows
 * of the tokens gathered in that order, and tiles of them multiplied with the matrix they share. How many pairs a matrix
 * has is never known to the host: there are as many tiles as the worst case needs, and those left over do nothing.
 *
 * <p>The matrices may be in any layout for which there are {@link ExpertWeights}.
 */
public final class PairProduct {

    /** The matrices of experts in any layout of which halves can be made. */
    public interface ExpertWeights {

        /** The rows of all matrices, one after the other, where they are, if the tensor cores of that GPU can read them so. */
        default Optional<HalfMatrix> inPlace(Gpu gpu) {
            return Optional.empty();
        }

        /**
         * Adds the launches that write {@code count} rows of every matrix, from its row {@code first} on, into scratch
         * memory: those of matrix 0, after them those of matrix 1 and so on, without gaps.
         */
        HalfMatrix rows(LaunchSink out, long first, long count);
    }

    /** What one block of {@code group_pairs.cu} can count. */
    private static final int MAX_MATRICES = 1024;

    private static final int GROUPING_THREADS = 1024;
    private static final int TILE_BYTES = 16;
    private static final int MIN_PAIRS = 32;
    private static final int MIN_ROWS = 32;
    private static final int MIN_DEPTH = 32;
    /** How many pairs a matrix needs on average until it is faster to decode all matrices than those of each pair. */
    private static final int MIN_SHARE = 4;

    private final HalfType type;
    private final Operand a;
    private final Operand b;
    private final Operand ids;
    private final Operand result;

    private PairProduct(Step step) {
        this.a = Operand.of(step.operand(0));
        this.b = Operand.of(step.operand(1));
        this.ids = Operand.of(step.operand(2));
        this.result = Operand.of(step.result());
        this.type = HalfType.of(a.type());
    }

    /** The product of a MUL_MAT_ID, whose matrices become bf16 if they are that, else f16. */
    public static PairProduct of(Step step) {
        return new PairProduct(step);
    }

    /** Whether there are enough pairs and not too many matrices; f32 is multiplied as such and never fits. */
    public boolean fits() {
        long matrices = a.dim(2);
        long depth = Gemm.paddedDepth(a.dim(0));
        return a.type() != ElementType.F32
                && matrices <= MAX_MATRICES
                && !HalfProduct.isExact(a, ids.dim(1))
                && pairs() >= Math.max(MIN_PAIRS, MIN_SHARE * matrices)
                && a.dim(1) >= MIN_ROWS
                && a.dim(0) >= MIN_DEPTH
                && result.stride(0) == Float.BYTES
                && pairs() < Integer.MAX_VALUE / depth * Narrowing.ELEMENTS
                && HalfMatrix.bytes(slice() * matrices, depth) <= 2 * HalfProduct.MAX_SCRATCH;
    }

    private long pairs() {
        return ids.dim(0) * ids.dim(1);
    }

    /** How many rows of each matrix are decoded at a time. */
    private long slice() {
        long row = HalfMatrix.bytes(a.dim(2), Gemm.paddedDepth(a.dim(0)));
        int edge = MmaTile.LARGE.edge();
        return Math.max(edge, HalfProduct.MAX_SCRATCH / row / edge * edge);
    }

    /** Adds the launches for matrices in ggml's layout. */
    void launch(LaunchSink out) {
        launch(out, new ExpertWeights() {

            @Override
            public Optional<HalfMatrix> inPlace(Gpu gpu) {
                boolean isStacked = a.dim(2) == 1 || a.stride(2) == a.dim(1) * a.stride(1);
                return HalfProduct.isDirect(a) && isStacked
                        ? Optional.of(HalfProduct.direct(a).withRows(a.dim(1) * a.dim(2)))
                        : Optional.empty();
            }

            @Override
            public HalfMatrix rows(LaunchSink sink, long first, long count) {
                Operand rows = a.from(first * a.stride(1))
                        .with(
                                new Shape(a.dim(0), count, a.dim(2), 1),
                                a.layout().strides());
                return Narrowing.all(sink, rows, type);
            }
        });
    }

    /** Adds the launches: for matrices where they are, or for halves of them, a slice of rows at a time. */
    public void launch(LaunchSink out, ExpertWeights weights) {
        Gemm.GroupedPairs grouped = group(out);
        HalfMatrix tokens = TokenRows.gathered(out, b, grouped, a.type());
        Optional<HalfMatrix> whole = weights.inPlace(out.gpu());
        if (whole.isPresent()) {
            out.add(Gemm.pairs(out.gpu(), grouped, operands(whole.get(), tokens, a.dim(1), 0)));
        } else {
            for (long first = 0; first < a.dim(1); first += slice()) {
                long count = Math.min(slice(), a.dim(1) - first);
                HalfMatrix halves = weights.rows(out, first, count);
                out.add(Gemm.pairs(out.gpu(), grouped, operands(halves, tokens, count, first)));
            }
        }
    }

    private Gemm.PairOperands operands(HalfMatrix weights, HalfMatrix tokens, long rows, long firstRow) {
        Launch.Argument target = new Launch.Scalar(ParameterType.POINTER, result.address() + firstRow * Float.BYTES);
        return new Gemm.PairOperands(
                weights, tokens, rows, target, result.stride(1) / Float.BYTES, result.stride(2) / Float.BYTES);
    }

    private Gemm.GroupedPairs group(LaunchSink out) {
        long matrices = a.dim(2);
        boolean isLarge = out.gpu().isHopper() || pairs() / matrices > MmaTile.SMALL.edge();
        int tileRows = isLarge ? MmaTile.LARGE.edge() : MmaTile.SMALL.edge();
        long maxTiles = pairs() / tileRows + Math.min(matrices, pairs());
        Scratch pairs = out.scratch(pairs() * Integer.BYTES);
        Scratch tiles = out.scratch(maxTiles * TILE_BYTES);
        out.add(Launch.of("group_pairs")
                .block(GROUPING_THREADS)
                .dependent()
                .argument(ids.view())
                .i32(matrices)
                .i32(tileRows)
                .i32(maxTiles)
                .pointer(pairs)
                .pointer(tiles));
        return new Gemm.GroupedPairs(pairs, tiles, pairs(), ids.dim(0), tileRows, maxTiles);
    }
}
