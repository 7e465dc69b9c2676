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
 * @param granules the granules of all rows
 * @param stages the units of a warp's ring
 * @param rowCapacity the rows of a block
 */
record UnitGemv(int tokens, int blocks, int granule, int granules, int stages, int rowCapacity, int sharedBytes) {

    /** The most tokens. */
    static final int MAX_TOKENS = 4;

    private static final int RING_WARPS = 16;
    private static final int STREAM_WARPS = 8;
    private static final int MAX_STAGES = 8;

    /** Shared memory of the kernels beside what is asked for: barriers and sums of squares. */
    private static final int STATIC_BYTES = 1536;

    /** The most rows of a block: their sums are in shared memory. */
    private static final int MAX_ROWS = 2048;

    /** A run of fewer units than that is short: its ring leaves room for the block of the next launch. */
    private static final int LONG_RUN = 12;

    private static final int SHORT_RING_BYTES = 120 << 10;

    private static final int FLAG_QUANTIZED = 1;
    private static final int FLAG_RMS = 2;
    private static final int GLU_SHIFT = 4;

    /** Whether the activations of the tokens fit into shared memory. */
    static boolean fits(UnitProduct product, Gpu gpu) {
        return vectors(product) <= MAX_TOKENS && of(product, gpu).sharedBytes() <= available(gpu);
    }

    /** Whether the activations of one token fit into shared memory. */
    static boolean fits(UnitFormat format, long k, Gpu gpu) {
        int rows = 2 * MAX_ROWS * Float.BYTES;
        int ring = gpu.isHopper() ? RING_WARPS * format.unitBytes(UnitFormat.LANES) : 0;
        return Math.ceilDiv(k, format.step()) * stepBytes(format) + rows + ring <= available(gpu);
    }

    /** The bytes that the activations of one token take in shared memory. */
    static long vectorBytes(UnitFormat format, long k) {
        return Math.ceilDiv(k, format.step()) * stepBytes(format);
    }

    private static int available(Gpu gpu) {
        return gpu.sharedBytesPerBlock() - STATIC_BYTES;
    }

    /** The vectors of a block: with experts, every pair of a token and an expert has blocks of its own. */
    private static int vectors(UnitProduct product) {
        return product.experts().isPresent() ? 1 : product.tokens();
    }

    static UnitGemv of(UnitProduct product, Gpu gpu) {
        int tokens = vectors(product) <= 2 ? vectors(product) : MAX_TOKENS;
        // Groups of 4 rows: pairs of a gated unit stay together, and so do the 16 rows that are published with one
        // scale.
        int granule = (product.gluNumber() > 0 ? 2 : 1) * (product.published().isPresent() ? 4 : 1);
        long groups = product.matrices().stream()
                .mapToLong(matrix -> Math.ceilDiv(matrix.rows(), UnitFormat.ROWS))
                .sum();
        long granules = Math.ceilDiv(groups, granule);
        long perBlock = Math.min(
                Math.ceilDiv(granules, wantedBlocks(gpu, slots(product))), MAX_ROWS / (granule * UnitFormat.ROWS));
        int warps = gpu.isHopper() ? RING_WARPS : STREAM_WARPS;
        int rowCapacity = (int) perBlock * granule * UnitFormat.ROWS;
        long steps = Math.ceilDiv(product.k(), product.format().step());
        int fixed = Math.toIntExact(
                tokens * (steps * stepBytes(product.format()) + (rowCapacity + warps * 4L) * Float.BYTES));
        int stages = 0;
        if (gpu.isHopper()) {
            long run = Math.ceilDiv(perBlock * granule * steps, warps);
            stages = stages(product.format(), run, available(gpu) - fixed);
        }
        int ring = warps * stages * product.format().unitBytes(UnitFormat.LANES);
        int blocks = Math.toIntExact(Math.ceilDiv(granules, perBlock));
        return new UnitGemv(tokens, blocks, granule, Math.toIntExact(granules), stages, rowCapacity, fixed + ring);
    }

    /** One block for each multiprocessor, two without a ring, shared by the pairs of tokens and experts. */
    private static long wantedBlocks(Gpu gpu, int slots) {
        return Math.ceilDiv((gpu.isHopper() ? 1L : 2L) * gpu.multiprocessors(), slots);
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
        of(product, out.gpu()).add(product, out);
    }

    private void add(UnitProduct product, LaunchSink out) {
        boolean isHopper = out.gpu().isHopper();
        Launch launch = Launch.of((isHopper ? "unit_gemv_ring_" : "unit_gemv_")
                        + product.format().suffix() + "_x" + tokens)
                .grid(blocks, slots(product), 1)
                .block((isHopper ? RING_WARPS : STREAM_WARPS) * 32)
                .shared(sharedBytes);
        UnitArguments.matrices(launch, product);
        launch.i32(product.k()).i32(vectors(product)).i32(flags(product));
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
        // Quotients, so that no thread divides: granules of a block, blocks that have one more, 2^32 / units of 4 rows.
        launch.i32(granule)
                .i32(granules / blocks)
                .i32(granules % blocks)
                .i32(stages)
                .i32(rowCapacity);
        launch.i32(inverse(Math.ceilDiv(product.k(), product.format().step())));
        out.add(isHopper ? launch.dependent() : launch);
    }

    /** 2^32 / {@code divisor}, rounded up: the high word of its product with a small number is the quotient. 0 for 1. */
    private static int inverse(long divisor) {
        return (int) Math.ceilDiv(1L << 32, divisor);
    }

    private static int flags(UnitProduct product) {
        return (product.activations().isQuantized() ? FLAG_QUANTIZED : 0)
                | (product.activations().hasRms() ? FLAG_RMS : 0)
                | product.gluNumber() << GLU_SHIFT;
    }
}
