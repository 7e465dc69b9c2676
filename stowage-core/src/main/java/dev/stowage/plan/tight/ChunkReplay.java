package dev.stowage.plan.tight;

import dev.stowage.packing.Problem;
import dev.stowage.plan.freelist.FreeList;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Distributes buffers to chunks in time order with a {@link FreeList}: fast for any number of buffers. */
final class ChunkReplay {

    private ChunkReplay() {}

    static ChunkedSolution of(Problem problem, long limit) {
        FreeList freeList = new FreeList(1, limit);
        int[] chunks = new int[problem.count()];
        long[] offsets = new long[problem.count()];
        int[] byEnd = sorted(problem, Comparator.comparingLong(problem::to));
        int ended = 0;
        for (int buffer : sorted(problem, Comparator.comparingLong(problem::from))) {
            while (problem.to(byEnd[ended]) <= problem.from(buffer)) {
                int done = byEnd[ended++];
                freeList.free(chunks[done], offsets[done], problem.size(done));
            }
            offsets[buffer] = freeList.allocate(problem.size(buffer));
            chunks[buffer] = freeList.chunk();
        }
        return new ChunkedSolution(chunks, offsets, freeList.chunkSizes());
    }

    private static int[] sorted(Problem problem, Comparator<Integer> order) {
        return IntStream.range(0, problem.count())
                .boxed()
                .sorted(order)
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
