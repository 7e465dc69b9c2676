package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;

/**
 * Products with up to {@value #MAX_TOKENS} tokens by matrix instructions: a first launch brings the tokens into the order
 * and the type of those, a second one is {@code unit_mm.cu}, or for quantised weights on sm_90 {@link UnitClusters}.
 *
 * @param tokens the tokens the kernel is made for: 8, 16, 32 or 64
 * @param rowWarps the warps of a block that have other rows, 16 each
 * @param depthWarps the warps of a block that have other parts of the rows
 */
record UnitBatch(int tokens, int rowWarps, int depthWarps) {

    /** The most tokens of a launch. */
    static final int MAX_TOKENS = 64;

    private static final int WARP = 32;
    private static final int WARP_ROWS = 16;

    /** Activations that are packed together, and the bytes they take for 8 tokens. */
    private static final int STEP = 128;

    private static final int STEP_BYTES = 2048;

    /** What packed tokens are filled up to with zeros: the chunks of the kernels. */
    private static final int PADDING = 256;

    private static final int MOST_PACKING_THREADS = 1024;
    private static final int MOST_PACKING_BLOCKS = 8;
    private static final int PACKED_BY_BLOCK = 1024;

    private static UnitBatch of(int count) {
        int tokens = Math.max(8, Integer.highestOneBit(2 * count - 1));
        return new UnitBatch(tokens, tokens <= 16 ? 2 : 4, tokens == MAX_TOKENS ? 2 : 4);
    }

    private int tileRows() {
        return rowWarps * WARP_ROWS;
    }

    private int sharedBytes() {
        return depthWarps * tokens * (tileRows() + 1) * Float.BYTES;
    }

    private int tiles() {
        return tokens / 8;
    }

    static void launch(UnitProduct product, LaunchSink out) {
        if (product.activations().isQuantized() || product.published().isPresent()) {
            throw new IllegalArgumentException(
                    "a product with " + product.tokens() + " tokens takes floats and publishes nothing");
        }
        for (int first = 0; first < product.tokens(); first += MAX_TOKENS) {
            int count = Math.min(MAX_TOKENS, product.tokens() - first);
            of(count).add(product, first, count, out);
        }
    }

    private void add(UnitProduct product, int first, int count, LaunchSink out) {
        long padded = Math.ceilDiv(product.k(), PADDING) * PADDING;
        Scratch packed = out.scratch(padded / STEP * tiles() * STEP_BYTES);
        Scratch factors = out.scratch((long) tokens * Float.BYTES);
        boolean isHopper = out.gpu().isHopper();
        boolean inClusters = isHopper && product.format().isQuantized();
        Activations activations = product.activations().from(first);
        // A thread has 8 numbers at a time, and a cluster a token.
        int blocks = isHopper ? (int) Math.min(MOST_PACKING_BLOCKS, Math.ceilDiv(padded, PACKED_BY_BLOCK)) : 1;
        int threads = (int) Math.min(MOST_PACKING_THREADS, Math.ceilDiv(padded, 8L * WARP * blocks) * WARP);
        Launch pack = Launch.of("unit_tokens_" + form(product.format()))
                .grid((long) tokens * blocks)
                .block(threads)
                .cluster(blocks)
                .argument(activations.x())
                .i64(activations.tokenStride())
                .argument(activations.norm())
                .i32(activations.hasRms() ? 1 : 0)
                .f32(activations.epsilon())
                .i32(product.k())
                .i32(padded)
                .i32(inClusters ? 1 : 0)
                .i32(count)
                .pointer(packed)
                .pointer(factors);
        out.add(isHopper ? pack.dependent() : pack);
        Launch launch = inClusters ? UnitClusters.of(product, tokens, out.gpu()).launch(product) : launch(product);
        matrices(launch, product, first);
        launch.i32(product.k())
                .i32(count)
                .i32(product.gluNumber())
                .pointer(packed)
                .pointer(factors)
                .argument(Pointers.plus(product.residual(), rowBytes(product, 0) * first));
        out.add(isHopper ? launch.dependent() : launch);
    }

    private Launch launch(UnitProduct product) {
        return Launch.of("unit_mm_" + product.format().suffix() + "_x" + tokens)
                .grid(rowTiles(product, tileRows()))
                .block(rowWarps * depthWarps * WARP)
                .shared(sharedBytes());
    }

    /** What tokens are rounded to, as the reference's {@code DotType} has it. */
    private static String form(UnitFormat format) {
        return switch (format) {
            case Q4_0, Q8_0 -> "q8_0";
            case Q4_K, Q5_K, Q6_K -> "q8_K";
            case F16, BF16 -> format.suffix();
        };
    }

    /** How many tiles of that many rows the matrices have; half of the rows of a gated unit are those of either matrix. */
    static long rowTiles(UnitProduct product, int rows) {
        return product.gluNumber() > 0
                ? Math.ceilDiv(product.matrix(0).rows(), rows / 2)
                : product.matrices().stream()
                        .mapToLong(matrix -> Math.ceilDiv(matrix.rows(), rows))
                        .sum();
    }

    /** Addresses, results from a token on, biases and rows of four matrices. */
    private static void matrices(Launch launch, UnitProduct product, int first) {
        for (int i = 0; i < UnitProduct.MAX_MATRICES; i++) {
            launch.pointer(product.matrix(i).address());
        }
        for (int i = 0; i < UnitProduct.MAX_MATRICES; i++) {
            launch.argument(Pointers.plus(product.matrix(i).out(), rowBytes(product, i) * first));
        }
        for (int i = 0; i < UnitProduct.MAX_MATRICES; i++) {
            launch.argument(product.matrix(i).bias());
        }
        for (int i = 0; i < UnitProduct.MAX_MATRICES; i++) {
            launch.i32(product.matrix(i).rows());
        }
    }

    private static long rowBytes(UnitProduct product, int matrix) {
        return product.matrix(matrix).rows() * Float.BYTES;
    }
}
