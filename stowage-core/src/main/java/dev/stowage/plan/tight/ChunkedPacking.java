package dev.stowage.plan.tight;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Budget;
import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Packer;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.plan.freelist.FreeList;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Packs into chunks of at most the maximum buffer size; only a single larger buffer exceeds it. If one chunk does not
 * suffice, buffers are distributed in several ways, and each chunk of the best is packed again.
 */
final class ChunkedPacking {

    private static final Packer PACKER = Packers.standard();

    /** {@link ChunkFilling} takes quadratic time. */
    private static final int MOST_TO_FILL = 10_000;

    private static final int ROUNDS = 64;
    private static final long SEED = 5;

    /** How much the jitter grows with each round. */
    private static final double JITTER = 0.05;

    private final Problem problem;
    private final long limit;
    private final long steps;
    private final long lowerBound;

    private ChunkedPacking(Problem problem, long limit, long steps) {
        this.problem = problem;
        this.limit = limit;
        this.steps = steps;
        this.lowerBound = LowerBound.of(problem);
    }

    /** Packs into chunks of at most {@code limit} each. */
    static ChunkedSolution of(Problem problem, long limit, long steps) {
        return new ChunkedPacking(problem, limit, steps).solution();
    }

    private ChunkedSolution solution() {
        if (lowerBound <= limit || problem.count() == 1) {
            PackingResult whole = PACKER.pack(problem, Budget.steps(steps));
            if (whole.height() <= limit || problem.count() == 1) {
                return ChunkedSolution.inOneChunk(whole);
            }
        }
        ChunkedSolution solution = distribute();
        for (int chunk = 0; chunk < solution.chunkCount() && solution.size() > lowerBound; chunk++) {
            int[] members = solution.members(chunk);
            PackingResult packed = PACKER.pack(part(members), Budget.steps(steps / solution.chunkCount()));
            solution = solution.withChunk(chunk, members, packed);
        }
        return solution;
    }

    /** Tries several orders, then randomized ones, until the steps are used up. */
    private ChunkedSolution distribute() {
        Random random = new Random(SEED);
        ChunkedSolution best = inTimeOrder(problem, limit);
        int rounds = problem.count() <= MOST_TO_FILL ? ROUNDS : 0;
        long left = steps;
        for (int round = 0; round < rounds && left >= 0 && best.size() > lowerBound; round++) {
            for (ChunkFilling.Order order : ChunkFilling.Order.values()) {
                int[] buffers = order.of(problem, round * JITTER, random);
                ChunkedSolution filled = ChunkFilling.of(problem, limit, buffers);
                best = filled.size() < best.size() ? filled : best;
                left -= problem.count();
            }
        }
        return best;
    }

    /** Distributes buffers in time order with a {@link FreeList}: fast for any number of buffers. */
    static ChunkedSolution inTimeOrder(Problem problem, long limit) {
        FreeList freeList = new FreeList(1, limit);
        int[] chunks = new int[problem.count()];
        long[] offsets = new long[problem.count()];
        int[] byEnd = IndexSort.ascending(times(problem, problem::to));
        int ended = 0;
        for (int buffer : IndexSort.ascending(times(problem, problem::from))) {
            while (problem.to(byEnd[ended]) <= problem.from(buffer)) {
                int done = byEnd[ended++];
                freeList.free(chunks[done], offsets[done], problem.size(done));
            }
            offsets[buffer] = freeList.allocate(problem.size(buffer));
            chunks[buffer] = freeList.chunk();
        }
        return new ChunkedSolution(chunks, offsets, freeList.chunkSizes());
    }

    private static long[] times(Problem problem, IntToLongFunction time) {
        return IntStream.range(0, problem.count()).mapToLong(time).toArray();
    }

    private Problem part(int[] members) {
        ProblemBuilder part = Problem.builder();
        for (int buffer : members) {
            part.add(problem.from(buffer), problem.to(buffer), problem.size(buffer));
        }
        return part.build();
    }
}
