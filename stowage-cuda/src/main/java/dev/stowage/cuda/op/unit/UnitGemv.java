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

    /** The most experts whose results are added up: a lane of a warp has the number of each. */
    private static final int MAX_ADDED = 32;

    /** Warps of a block with rings: for one token, for one that is quantised already, and for several tokens. */
    static final int TOKEN_WARPS = 12;

    static final int READY_WARPS = 16;
    private static final int RING_WARPS = 16;
    private static final int STREAM_WARPS = 8;
    private static final int MAX_STAGES = 8;

    /** Shared memory of the kernels beside what is asked for: barriers and sums of squares. */
    private static final int STATIC_BYTES = 2304;

    /** The most rows of a block: their sums are in shared memory. */
    private static final int MAX_ROWS = 2048;

    /** A run of fewer units than that is short: its ring leaves room for the block of the next launch. */
    private static final int LONG_RUN = 12;

    private static final int SHORT_RING_BYTES = 120 << 10;
    /** With less to do at either end a launch gains more from its own ring than from room for the next one. */
    private static final int READY_RING_BYTES = 180 << 10;

    private static final int LONG_HALVES_BYTES = 150 << 10;

    private static final int FLAG_QUANTIZED = 1;
    private static final int FLAG_RMS = 2;
    private static final int GLU_SHIFT = 4;

    /** Whether the activations of the tokens fit into shared memory. */
    static boolean fits(UnitProduct product, Gpu gpu) {
        return tokens(product) <= MAX_TOKENS && of(product, gpu).sharedBytes() <= available(gpu);
    }

    /** Whether the activations of the used experts of a token, which are added up, fit into shared memory. */
    static boolean fitsExperts(UnitFormat format, long k, int used, Gpu gpu) {
        int rows = 2 * MAX_ROWS * Float.BYTES;
        int ring = gpu.isHopper() ? TOKEN_WARPS * format.unitBytes(UnitFormat.LANES) : 0;
        return used <= MAX_ADDED && used * vectorBytes(format, k) + rows + ring <= available(gpu);
    }

    /** Whether the activations of one token fit into shared memory. */
    static boolean fits(UnitFormat format, long k, Gpu gpu) {
        return fitsExperts(format, k, 1, gpu);
    }

    /** The bytes that the activations of one token take in shared memory. */
    static long vectorBytes(UnitFormat format, long k) {
        return Math.ceilDiv(k, format.step()) * stepBytes(format);
    }

    private static int available(Gpu gpu) {
        return gpu.sharedBytesPerBlock() - STATIC_BYTES;
    }

    /** The tokens of a block: with experts, every token or every pair of a token and an expert has blocks of its own. */
    private static int tokens(UnitProduct product) {
        return product.experts().isPresent() ? 1 : product.tokens();
    }

    /** The experts that a block adds up. */
    private static int added(UnitProduct product) {
        return product.experts()
                .filter(UsedExperts::areAddedUp)
                .map(UsedExperts::used)
                .orElse(1);
    }

    static UnitGemv of(UnitProduct product, Gpu gpu) {
        return of(product, gpu, wantedBlocks(gpu, slots(product)), warps(product, gpu));
    }

    /** As {@link #of(UnitProduct, Gpu)}, over so many blocks of that many warps, or fewer. */
    static UnitGemv of(UnitProduct product, Gpu gpu, long wantedBlocks, int warps) {
        int tokens = tokens(product) <= 2 ? tokens(product) : MAX_TOKENS;
        // Groups of 4 rows: pairs of a gated unit stay together, and so do the 16 rows that are published with one
        // scale.
        int granule = (product.gluNumber() > 0 ? 2 : 1) * (product.published().isPresent() ? 4 : 1);
        long groups = product.matrices().stream()
                .mapToLong(matrix -> Math.ceilDiv(matrix.rows(), UnitFormat.ROWS))
                .sum();
        long granules = Math.ceilDiv(groups, granule);
        long perBlock = Math.min(Math.ceilDiv(granules, wantedBlocks), MAX_ROWS / (granule * UnitFormat.ROWS));
        int rowCapacity = (int) perBlock * granule * UnitFormat.ROWS;
        long steps = groupUnits(product);
        int fixed = Math.toIntExact(
                tokens * (steps * stepBytes(product.format()) + (rowCapacity + warps * 4L) * Float.BYTES));
        int stages = 0;
        if (gpu.isHopper()) {
            long run = Math.ceilDiv(perBlock * granule * steps, warps);
            int shortRing = isReady(product) ? READY_RING_BYTES : SHORT_RING_BYTES;
            stages = stages(product.format(), warps, run, shortRing, available(gpu) - fixed);
        }
        int ring = warps * stages * product.format().unitBytes(UnitFormat.LANES);
        int blocks = Math.toIntExact(Math.ceilDiv(granules, perBlock));
        return new UnitGemv(tokens, blocks, granule, Math.toIntExact(granules), stages, rowCapacity, fixed + ring);
    }

    /** The units of four rows: those of all experts that are added up. */
    private static long groupUnits(UnitProduct product) {
        return added(product) * Math.ceilDiv(product.k(), product.format().step());
    }

    /** One block for each multiprocessor, two without a ring, shared by the pairs of tokens and experts. */
    private static long wantedBlocks(Gpu gpu, int slots) {
        return Math.ceilDiv((gpu.isHopper() ? 1L : 2L) * gpu.multiprocessors(), slots);
    }

    /** The tokens, or pairs of a token and one of its experts, each of which has blocks of its own. */
    private static int slots(UnitProduct product) {
        return product.experts()
                .map(experts -> experts.areAddedUp() ? product.tokens() : experts.used() * product.tokens())
                .orElse(1);
    }

    private static int stepBytes(UnitFormat format) {
        return format.isQuantized() ? 1536 : 1024;
    }

    private static int warps(UnitProduct product, Gpu gpu) {
        if (!gpu.isHopper()) {
            return STREAM_WARPS;
        }
        if (isReady(product)) {
            return READY_WARPS;
        }
        return tokens(product) == 1 ? TOKEN_WARPS : RING_WARPS;
    }

    /**
     * How many units a warp asks for ahead: all of a very short run; of a short one as many as leave room for the next
     * launch; of a long one as many as there is room for, but of halves no more than memory answers without delay.
     */
    private static int stages(UnitFormat format, int warps, long run, int shortRing, int bytes) {
        int perStage = warps * format.unitBytes(UnitFormat.LANES);
        int room = Math.min(MAX_STAGES, bytes / perStage);
        int longRing = format.isQuantized() ? room : LONG_HALVES_BYTES / perStage;
        int wanted = run >= LONG_RUN ? longRing : Math.max(2, shortRing / perStage);
        return (int) Math.max(1, Math.min(Math.min(wanted, room), run));
    }

    static void launch(UnitProduct product, LaunchSink out) {
        of(product, out.gpu()).add(product, out);
    }

    private void add(UnitProduct product, LaunchSink out) {
        boolean isHopper = out.gpu().isHopper();
        Launch launch = Launch.of((isHopper ? "unit_gemv_ring_" : "unit_gemv_")
                        + product.format().suffix()
                        + kind(product, isHopper))
                .grid(blocks, slots(product), 1)
                .block(warps(product, out.gpu()) * 32)
                .shared(sharedBytes);
        addArguments(launch, product);
        product.tail().ifPresent(tail -> tail.addTo(launch));
        out.add(isHopper ? launch.dependent() : launch);
    }

    private String kind(UnitProduct product, boolean isHopper) {
        if (product.experts().isPresent()) {
            return "_experts";
        }
        if (product.tail().isPresent()) {
            return "_rope";
        }
        if (isHopper && isReady(product)) {
            return product.gluNumber() > 0 ? "_gated" : product.matrices().size() == 1 ? "_one" : "_several";
        }
        return isHopper && isWhole(product) ? "_whole" : "_x" + tokens;
    }

    /** Whether one token meets rows of whole units, for which there are kernels of their own. */
    private static boolean isWhole(UnitProduct product) {
        return product.tokens() == 1 && product.k() % product.format().step() == 0;
    }

    /**
     * Whether a product can have a {@link ProductTail}: it has a result for each thread of a block at most, and rows that
     * are rotated together are in one group.
     */
    static boolean canHaveTail(UnitProduct product, Gpu gpu) {
        return gpu.isHopper()
                && isReady(product)
                && product.all().allMatch(matrix -> matrix.rows() % UnitFormat.ROWS == 0)
                && rowCapacity(product, gpu) <= READY_WARPS * 32;
    }

    private static int rowCapacity(UnitProduct product, Gpu gpu) {
        return product.last()
                .map(last -> UnitGemvOfTwo.of(product, last, READY_WARPS, gpu).rowCapacity())
                .orElseGet(() -> of(product, gpu).rowCapacity);
    }

    /** Whether that token is quantised already, which is what most products of a token are: they have kernels without the rest. */
    private static boolean isReady(UnitProduct product) {
        return isWhole(product)
                && product.experts().isEmpty()
                && product.format().isQuantized()
                && product.activations().isQuantized();
    }

    /** The shared memory with room for so many rows. */
    int sharedBytesWith(int rows) {
        return sharedBytes + (rows - rowCapacity) * Float.BYTES;
    }

    /** In the order of the kernels' parameters, which begins with what is used first. */
    void addArguments(Launch launch, UnitProduct product) {
        // Quotients, so that no thread divides: granules of a block, blocks that have one more, 2^32 / units of 4 rows.
        launch.i32(product.k())
                .i32(granule)
                .i32(granules / blocks)
                .i32(granules % blocks)
                .i32(stages)
                .i32(inverse(groupUnits(product)));
        UnitArguments.rows(launch, product);
        launch.i32(flags(product)).i32(tokens(product));
        UnitArguments.weights(launch, product);
        Activations activations = product.activations();
        launch.argument(activations.x())
                .i64(activations.tokenStride())
                .i64(activations.expertStride())
                .i32(rowCapacity)
                .f32(activations.epsilon())
                .argument(activations.norm())
                .argument(activations.squares())
                .argument(product.residual())
                .argument(product.published()
                        .map(published -> Pointers.of(published.values()))
                        .orElse(Pointers.NONE))
                .argument(product.publishedNorm())
                .argument(product.published()
                        .map(published -> Pointers.of(published.squares()))
                        .orElse(Pointers.NONE));
        UnitArguments.results(launch, product);
        UnitArguments.experts(launch, product);
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
