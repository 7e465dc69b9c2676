package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;

/**
 * Launches of {@code unit_gemv*.cu}: products with up to {@value #MAX_TOKENS} tokens. The activations of all tokens are in
 * the shared memory of every thread block; on sm_90 the rest of it is a ring of units for each warp.
 *
 * @param tokens the tokens the kernel is made for: 1, 2 or 4
 * @param blocks the thread blocks that groups of rows are split over
 * @param granule the groups that must be in one block
 * @param stages the units of a warp's ring
 * @param rowCapacity the rows of a block
 */
record UnitGemv(int tokens, int blocks, int granule, int stages, int rowCapacity, int sharedBytes) {

    /** The most tokens. */
    static final int MAX_TOKENS = 4;

    private static final int RING_WARPS = 16;
    private static final int STREAM_WARPS = 8;
    private static final int MAX_STAGES = 8;

    /** Shared memory of the kernels beside what is asked for, with some to spare. */
    private static final int STATIC_BYTES = 6 << 10;

    /** The most rows of a block: their sums are in shared memory. */
    private static final int MAX_ROWS = 2048;

    /** A run of fewer units than that is short: its ring leaves room for the block of the next launch. */
    private static final int LONG_RUN = 12;

    private static final int SHORT_RING_BYTES = 120 << 10;

    private static final int FLAG_QUANTIZED = 1;
    private static final int FLAG_RMS = 2;
    private static final int GLU_SHIFT = 4;

    /** Whether the activations of so many tokens fit into shared memory. */
    static boolean fits(UnitProduct product, Gpu gpu) {
        return product.tokens() <= MAX_TOKENS && of(product, gpu).sharedBytes() <= available(gpu);
    }

    private static int available(Gpu gpu) {
        return gpu.sharedBytesPerBlock() - STATIC_BYTES;
    }

    static UnitGemv of(UnitProduct product, Gpu gpu) {
        int tokens = product.tokens() <= 2 ? product.tokens() : MAX_TOKENS;
        int slots = slots(product);
        // Groups of 4 rows: pairs of a gated unit stay together, and so do the 16 rows that are published with one
        // scale.
        int granule = (product.gluNumber() > 0 ? 2 : 1) * (product.published().isPresent() ? 4 : 1);
        long groups = product.matrices().stream()
                .mapToLong(matrix -> Math.ceilDiv(matrix.rows(), UnitFormat.ROWS))
                .sum();
        long granules = Math.ceilDiv(groups, granule);
        int warps = gpu.isHopper() ? RING_WARPS : STREAM_WARPS;
        long wanted = Math.ceilDiv(gpu.isHopper() ? gpu.multiprocessors() : 2L * gpu.multiprocessors(), slots);
        long perBlock = Math.min(Math.ceilDiv(granules, wanted), MAX_ROWS / (granule * UnitFormat.ROWS));
        long blocks = Math.ceilDiv(granules, perBlock);
        int rowCapacity = (int) perBlock * granule * UnitFormat.ROWS;
        long steps = Math.ceilDiv(product.k(), product.format().step());
        int fixed = Math.toIntExact(tokens
                * (steps * stepBytes(product.format()) + (long) rowCapacity * Float.BYTES + warps * 4L * Float.BYTES));
        int stages = 0;
        if (gpu.isHopper()) {
            long run = Math.ceilDiv(perBlock * granule * steps, warps);
            stages = stages(product.format(), run, available(gpu) - fixed);
        }
        int ring = warps * stages * product.format().unitBytes(UnitFormat.LANES);
        return new UnitGemv(tokens, Math.toIntExact(blocks), granule, stages, rowCapacity, fixed + ring);
    }

    /** The pairs of a token and one of its experts, each of which has blocks of its own. */
    private static int slots(UnitProduct product) {
        return product.experts()
                .map(experts -> experts.used() * product.tokens())
                .orElse(1);
    }

    private static int stepBytes(UnitFormat format) {
        return format.isQuantized() ? 1536 : 1024;
    }

    /**
     * How many units a warp asks for ahead: all of a very short run; of a short one as many as leave room for the next
     * launch, which then loads its first units meanwhile; of a long one as many as there is room for.
     */
    private static int stages(UnitFormat format, long run, int bytes) {
        int perStage = RING_WARPS * format.unitBytes(UnitFormat.LANES);
        int room = bytes / perStage;
        int wanted = run >= LONG_RUN ? MAX_STAGES - 2 : Math.max(2, SHORT_RING_BYTES / perStage);
        return (int) Math.max(1, Math.min(Math.min(wanted, room), run));
    }

    static void launch(UnitProduct product, LaunchSink out) {
        Gpu gpu = out.gpu();
        if (product.experts().isPresent()) {
            UnitProduct.Experts experts = product.experts().get();
            // Every pair of a token and an expert is a product with one token.
            of(product, gpu, 1).add(product, 1, experts.used() * product.tokens(), out);
        } else {
            of(product, gpu).add(product, product.tokens(), 1, out);
        }
    }

    private static UnitGemv of(UnitProduct product, Gpu gpu, int tokens) {
        UnitGemv shape = of(product, gpu);
        return shape.tokens() == tokens ? shape : shape.withTokens(product, tokens);
    }

    /** The same blocks for fewer tokens, which need less shared memory. */
    private UnitGemv withTokens(UnitProduct product, int fewer) {
        int ring = stages * RING_WARPS * product.format().unitBytes(UnitFormat.LANES);
        int fixed = (sharedBytes - ring) / tokens * fewer;
        return new UnitGemv(fewer, blocks, granule, stages, rowCapacity, fixed + ring);
    }

    private void add(UnitProduct product, int vectors, int slots, LaunchSink out) {
        boolean isHopper = out.gpu().isHopper();
        Launch launch = Launch.of((isHopper ? "unit_gemv_ring_" : "unit_gemv_")
                        + product.format().suffix() + "_x" + tokens)
                .grid(blocks, slots, 1)
                .block((isHopper ? RING_WARPS : STREAM_WARPS) * 32)
                .shared(sharedBytes);
        UnitArguments.matrices(launch, product);
        launch.i32(product.k()).i32(vectors).i32(flags(product));
        UnitArguments.activations(launch, product.activations());
        launch.argument(product.residual())
                .argument(product.published()
                        .map(published -> Pointers.of(published.values()))
                        .orElse(Pointers.NONE))
                .argument(product.publishedNorm())
                .argument(product.published()
                        .map(published -> Pointers.of(published.squares()))
                        .orElse(Pointers.NONE));
        UnitArguments.experts(launch, product);
        launch.i32(granule).i32(stages).i32(rowCapacity);
        out.add(isHopper ? launch.dependent() : launch);
    }

    private static int flags(UnitProduct product) {
        return (product.activations().isQuantized() ? FLAG_QUANTIZED : 0)
                | (product.activations().hasRms() ? FLAG_RMS : 0)
                | product.gluNumber() << GLU_SHIFT;
    }
}
