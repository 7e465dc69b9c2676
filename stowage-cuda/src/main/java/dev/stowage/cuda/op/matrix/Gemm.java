package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/**
 * Products of many tokens by tensor cores: {@code gemm_sm90.cu} on Hopper, {@code gemm.cu} elsewhere. Whatever can make
 * f16 rows of its weights can use it:
 *
 * {@snippet :
 * HalfMatrix tokens = Gemm.tokens(out, step.operand(1), step.operand(0).type());
 * Gemm.launch(out, GemmOperands.of(HalfMatrix.in(scratch, rows, depth, HalfType.F16), tokens, result, rows));
 * }
 *
 * <p>Sums are f32. Tokens are {@linkplain DotRounding rounded} as weights of their type ask for, and then to the type that
 * is multiplied: of f16, numbers beyond 65504 become infinite. Results are the same from run to run.
 */
public final class Gemm {

    /** How many elements along a row a tile multiplies at once. */
    static final int STEP = 64;

    private Gemm() {}

    /**
     * The rows of a tensor, counted over dimensions 1 to 3, without gaps and rounded as they meet weights of that type, which
     * is the one they had before they became halves. Rows are filled up with zeros.
     */
    public static HalfMatrix tokens(LaunchSink out, BoundTensor rows, ElementType weights) {
        return TokenRows.halves(out, rows, weights);
    }

    /**
     * Memory for the {@linkplain #tokens tokens} that a tensor is for products, which a launch fills in place of the tensor
     * or beside it. Products that are launched later read them from there.
     *
     * @param rows a tensor whose forms {@linkplain dev.stowage.cuda.program.DerivedForms#canKeep can be kept}
     */
    public static HalfMatrix providedTokens(LaunchSink out, BoundTensor rows, DotRounding rounding) {
        return TokenRows.provided(out, rows, rounding);
    }

    /** How long rows of {@code depth} elements are once they are filled up. */
    public static long paddedDepth(long depth) {
        return Math.ceilDiv(depth, Narrowing.ELEMENTS) * Narrowing.ELEMENTS;
    }

    /** Adds the launches of a product with all rows of a matrix: where they are, or as halves a slice at a time. */
    public static void launch(LaunchSink out, HalfWeights weights, HalfMatrix tokens, GemmTarget target) {
        Optional<HalfMatrix> whole = weights.inPlace(out.gpu());
        if (whole.isPresent()) {
            launch(out, target.operands(whole.get(), tokens, 0));
        } else {
            launchSlices(out, weights, tokens, target);
        }
    }

    private static void launchSlices(LaunchSink out, HalfWeights weights, HalfMatrix tokens, GemmTarget target) {
        long edge = MmaTile.LARGE.edge();
        long slice = Math.max(edge, HalfProduct.MAX_SCRATCH / HalfMatrix.bytes(1, tokens.depth()) / edge * edge);
        for (long first = 0; first < weights.rows(); first += slice) {
            long count = Math.min(slice, weights.rows() - first);
            HalfMatrix rows = HalfMatrix.allocate(out, count, tokens.depth(), tokens.type());
            weights.write(out, first, rows);
            launch(out, target.operands(rows, tokens, first));
        }
    }

    /** Adds the launch of a product. */
    public static void launch(LaunchSink out, GemmOperands ops) {
        out.add(out.gpu().isHopper() ? hopper(out.gpu(), ops) : portable(out.gpu(), ops));
    }

    private static Launch hopper(Gpu gpu, GemmOperands ops) {
        HalfMatrix weights = ops.weights();
        HopperTiles tiles = HopperTiles.of(gpu, Math.ceilDiv(ops.tokens().rows(), HopperTiles.TOKENS), weights.rows());
        return tiles.launch("", weights.type())
                .argument(ops.tokens().boxes(HopperTiles.TOKENS))
                .argument(weights.boxes(tiles.boxRows()))
                .i32(weights.isInUnits() ? 1 : 0)
                .argument(ops.result())
                .i64(ops.resultStride())
                .argument(ops.addend())
                .i64(ops.addendStride())
                .i32(ops.tokens().rows())
                .i32(weights.rows())
                .i32(weights.depth());
    }

    private static Launch portable(Gpu gpu, GemmOperands ops) {
        return batch(gpu, ops, new Batch(1, 1, 1, 1, 0, 0, 0, 0, 0));
    }

    /**
     * Several products of the same shape.
     *
     * @param count2 how many there are along dimension 2
     * @param count3 how many along dimension 3
     * @param share2 how many along dimension 2 have the same weights
     * @param share3 how many along dimension 3
     * @param tokenStride elements from the tokens of one to those of the next
     * @param weightStride2 elements from weights to the next along dimension 2
     * @param weightStride3 along dimension 3
     * @param resultStride2 floats from a result to the next along dimension 2
     * @param resultStride3 along dimension 3
     */
    record Batch(
            long count2,
            long count3,
            long share2,
            long share3,
            long tokenStride,
            long weightStride2,
            long weightStride3,
            long resultStride2,
            long resultStride3) {}

    /** The launch of several products; {@code ops} are those of the first. */
    static Launch batch(Gpu gpu, GemmOperands ops, Batch batch) {
        long products = batch.count2() * batch.count3();
        MmaTile tile = MmaTile.best(ops.tokens().rows(), ops.weights().rows(), products, gpu.multiprocessors());
        return Launch.of("gemm_" + tile.kernel() + "_" + ops.weights().type().suffix())
                .grid(
                        Math.ceilDiv(ops.tokens().rows(), tile.edge()),
                        Math.ceilDiv(ops.weights().rows(), tile.edge()),
                        products)
                .block(tile.threads())
                .dependent()
                .shared(tile.sharedBytes())
                .argument(ops.tokens().base())
                .i64(ops.tokens().rowStride())
                .i64(batch.tokenStride())
                .argument(ops.weights().base())
                .i64(ops.weights().rowStride())
                .i64(batch.weightStride2())
                .i64(batch.weightStride3())
                .argument(ops.result())
                .i64(ops.resultStride())
                .i64(batch.resultStride2())
                .i64(batch.resultStride3())
                .argument(ops.addend())
                .i64(ops.addendStride())
                .i32(ops.tokens().rows())
                .i32(ops.weights().rows())
                .i32(ops.weights().depth())
                .i32(batch.count2())
                .i32(batch.share2())
                .i32(batch.share3());
    }

    /** The launch of products of grouped pairs with matrices of {@code weights}, one below the other. */
    static Launch pairs(Gpu gpu, GroupedPairs grouped, PairOperands ops) {
        return gpu.isHopper() ? hopperPairs(gpu, grouped, ops) : portablePairs(grouped, ops);
    }

    private static Launch hopperPairs(Gpu gpu, GroupedPairs grouped, PairOperands ops) {
        HalfMatrix weights = ops.weights();
        HopperTiles tiles = HopperTiles.of(gpu, grouped.maxTiles(), ops.rows());
        return tiles.launch("pairs_", weights.type())
                .argument(ops.tokens().boxes(HopperTiles.TOKENS))
                .argument(weights.boxes(tiles.boxRows()))
                .i32(weights.isInUnits() ? 1 : 0)
                .i32(ops.rows())
                .argument(ops.result())
                .i64(ops.resultStride1())
                .i64(ops.resultStride2())
                .pointer(grouped.pairs())
                .pointer(grouped.tiles())
                .i32(grouped.maxTiles())
                .i32(grouped.used())
                .i32(ops.rows())
                .i32(weights.depth());
    }

    private static Launch portablePairs(GroupedPairs grouped, PairOperands ops) {
        MmaTile tile = MmaTile.ofEdge(grouped.tileRows());
        HalfMatrix weights = ops.weights();
        return Launch.of("gemm_pairs_" + tile.kernel() + "_" + weights.type().suffix())
                .grid(grouped.maxTiles(), Math.ceilDiv(ops.rows(), tile.edge()), 1)
                .block(tile.threads())
                .dependent()
                .shared(tile.sharedBytes())
                .argument(ops.tokens().base())
                .i64(ops.tokens().rowStride())
                .argument(weights.base())
                .i64(weights.rowStride())
                .i64(weights.rowStride() * ops.rows())
                .argument(ops.result())
                .i64(ops.resultStride1())
                .i64(ops.resultStride2())
                .pointer(grouped.pairs())
                .pointer(grouped.tiles())
                .i32(grouped.used())
                .i32(ops.rows())
                .i32(weights.depth());
    }

    /**
     * The pairs of a MUL_MAT_ID sorted by matrix, by {@code group_pairs.cu}.
     *
     * @param used how many pairs a token has
     * @param tileRows the most pairs of a tile
     */
    record GroupedPairs(Scratch pairs, Scratch tiles, long count, long used, int tileRows, long maxTiles) {}

    /**
     * The factors of grouped pairs.
     *
     * @param weights the rows of all matrices
     * @param rows how many rows each has
     */
    record PairOperands(
            HalfMatrix weights,
            HalfMatrix tokens,
            long rows,
            Launch.Argument result,
            long resultStride1,
            long resultStride2) {}
}
