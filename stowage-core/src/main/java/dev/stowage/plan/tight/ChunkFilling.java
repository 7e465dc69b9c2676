package dev.stowage.plan.tight;

import dev.stowage.packing.Problem;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Distributes buffers to chunks one by one: each goes to the lowest gap of the first chunk with room below the limit,
 * or starts a new chunk. Full first chunks leave a small last one, which is the saving.
 */
final class ChunkFilling {

    /** The order of distribution; the first buffers get the best places. */
    enum Order {
        SIZE,
        AREA,
        LIFETIME;

        private double rank(Problem problem, int buffer) {
            double lifetime = (double) problem.to(buffer) - problem.from(buffer);
            return switch (this) {
                case SIZE -> (double) problem.size(buffer);
                case AREA -> (double) problem.size(buffer) * lifetime;
                case LIFETIME -> lifetime;
            };
        }

        /** The buffers in this order, with each rank raised at random by up to the given share. */
        int[] of(Problem problem, double jitter, Random random) {
            double[] ranks = new double[problem.count()];
            Arrays.setAll(ranks, buffer -> rank(problem, buffer) * (1 + jitter * random.nextDouble()));
            return IntStream.range(0, ranks.length)
                    .boxed()
                    .sorted(Comparator.comparingDouble((Integer buffer) -> -ranks[buffer])
                            .thenComparingLong(buffer -> -problem.size(buffer))
                            .thenComparingLong(problem::from))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
    }

    private final Problem problem;
    private final long limit;
    private final long[] offsets;
    private Chunk[] chunks = {};

    private ChunkFilling(Problem problem, long limit) {
        this.problem = problem;
        this.limit = limit;
        this.offsets = new long[problem.count()];
    }

    static ChunkedSolution of(Problem problem, long limit, int[] buffers) {
        ChunkFilling filling = new ChunkFilling(problem, limit);
        // A chunk above the limit is sized for its first buffer, so buffers above the limit go first.
        for (int buffer : buffers) {
            if (problem.size(buffer) > limit) {
                filling.place(buffer);
            }
        }
        for (int buffer : buffers) {
            if (problem.size(buffer) <= limit) {
                filling.place(buffer);
            }
        }
        return filling.solution();
    }

    private void place(int buffer) {
        for (Chunk chunk : chunks) {
            if (chunk.take(buffer)) {
                return;
            }
        }
        Chunk fresh = new Chunk(Math.max(limit, problem.size(buffer)));
        fresh.take(buffer);
        chunks = Arrays.copyOf(chunks, chunks.length + 1);
        chunks[chunks.length - 1] = fresh;
    }

    private ChunkedSolution solution() {
        int[] chunkOf = new int[offsets.length];
        long[] heights = new long[chunks.length];
        for (int chunk = 0; chunk < chunks.length; chunk++) {
            heights[chunk] = chunks[chunk].height;
            for (int i = 0; i < chunks[chunk].count; i++) {
                chunkOf[chunks[chunk].byOffset[i]] = chunk;
            }
        }
        return new ChunkedSolution(chunkOf, offsets, heights);
    }

    /** The buffers of one chunk, lowest first. */
    private final class Chunk {

        private final long capacity;
        private int[] byOffset = new int[16];
        private int count;
        private long height;

        Chunk(long capacity) {
            this.capacity = capacity;
        }

        boolean take(int buffer) {
            long offset = lowestGap(buffer);
            if (offset > capacity - problem.size(buffer)) {
                return false;
            }
            byOffset = count < byOffset.length ? byOffset : Arrays.copyOf(byOffset, count * 2);
            int at = count++;
            while (at > 0 && offsets[byOffset[at - 1]] > offset) {
                byOffset[at] = byOffset[at - 1];
                at--;
            }
            byOffset[at] = buffer;
            offsets[buffer] = offset;
            height = Math.max(height, offset + problem.size(buffer));
            return true;
        }

        private long lowestGap(int buffer) {
            long free = 0;
            for (int i = 0; i < count; i++) {
                int other = byOffset[i];
                if (problem.from(other) < problem.to(buffer) && problem.from(buffer) < problem.to(other)) {
                    if (offsets[other] - free >= problem.size(buffer)) {
                        return free;
                    }
                    free = Math.max(free, offsets[other] + problem.size(other));
                }
            }
            return free;
        }
    }
}
