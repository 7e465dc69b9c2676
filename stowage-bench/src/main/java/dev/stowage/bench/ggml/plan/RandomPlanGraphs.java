package dev.stowage.bench.ggml.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Random questions for planners, the same for the same seed: graphs with chains that can work in place, views of views,
 * copies into other tensors, casts, empty tensors, inputs, outputs and weights in odd places, over several kinds of
 * memory with alignments and largest sizes of their own.
 *
 * <p>They stay below the limits at which ggml gives up or changes its rules, which ours has not: 16 chunks in a buffer,
 * 256 holes in a chunk. Nor has a buffer a chunk without a byte, in which ggml cannot place an empty tensor twice.
 */
final class RandomPlanGraphs {

    private static final int MOST_CHUNKS = 15;
    private static final int MOST_ATTEMPTS = 100;

    private final SplittableRandom random;
    private final Predicate<Op> allowed;

    private RandomPlanGraphs(long seed, Predicate<Op> allowed) {
        this.random = new SplittableRandom(seed);
        this.allowed = allowed;
    }

    /** The question with that seed, about graphs of the ops that are allowed. */
    static LivePlanCase of(long seed, Predicate<Op> allowed) {
        RandomPlanGraphs generator = new RandomPlanGraphs(seed, allowed);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            LivePlanCase found = generator.draw(seed);
            if (isWithinLimits(Planner.ggml().plan(found.request()))) {
                return found;
            }
        }
        throw new IllegalStateException("no graph within ggml's limits in " + MOST_ATTEMPTS + " for seed " + seed);
    }

    private LivePlanCase draw(long seed) {
        Graph graph = new RandomGraph(random.split(), allowed).graph();
        List<BufferType> types = types(totalBytes(graph));
        int[] nodeBuffers = buffers(graph.nodeCount(), types.size());
        int[] leafBuffers = buffers(graph.leafCount(), types.size());
        return new LivePlanCase(seed, PlanRequest.of(graph, types, nodeBuffers, leafBuffers));
    }

    private static long totalBytes(Graph graph) {
        long bytes = 0;
        for (int id = 0; id < graph.size(); id++) {
            bytes += graph.tensor(id).isView() ? 0 : graph.tensor(id).byteSize();
        }
        return bytes;
    }

    private static boolean isWithinLimits(MemoryPlan plan) {
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            if (plan.chunkCount(buffer) > MOST_CHUNKS) {
                return false;
            }
            for (int chunk = 0; chunk < plan.chunkCount(buffer); chunk++) {
                if (plan.chunkSize(buffer, chunk) == 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** One to four buffers, now and then the same memory twice. */
    private List<BufferType> types(long bytes) {
        int count = random.nextInt(3) == 0 ? random.nextInt(2, 5) : 1;
        List<BufferType> types = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            types.add(i > 0 && random.nextInt(4) == 0 ? types.get(random.nextInt(i)) : type(i, bytes));
        }
        return types;
    }

    /** A largest size that is not a multiple of the alignment is allowed, and so is one below the largest tensor. */
    private BufferType type(int index, long bytes) {
        MeasuringBufferType type = MeasuringBufferType.of("memory" + index, 1L << random.nextInt(10));
        return random.nextBoolean() ? type : type.withMaxBufferSize(random.nextLong(1, bytes / 2 + 2));
    }

    /** Neighbours often go to the same buffer. */
    private int[] buffers(int count, int types) {
        int[] buffers = new int[count];
        int current = 0;
        for (int i = 0; i < count; i++) {
            current = random.nextInt(3) == 0 ? random.nextInt(types) : current;
            buffers[i] = current;
        }
        return buffers;
    }
}
