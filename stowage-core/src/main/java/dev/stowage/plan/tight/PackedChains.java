package dev.stowage.plan.tight;

import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.MemoryPlanBuilder;
import dev.stowage.plan.PlanRequest;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The chains of a request with a place for each, packed separately for each memory. */
final class PackedChains {

    private final PlanRequest request;
    private final Graph graph;
    private final InPlaceChains chains;
    private final long steps;
    private final int[] chunks;
    private final long[] offsets;
    private final long[][] chunkSizes;
    private long lowerBound;

    /** Packs chains, with a step budget for each memory. */
    PackedChains(PlanRequest request, InPlaceChains chains, long steps) {
        this.request = request;
        this.graph = request.graph();
        this.chains = chains;
        this.steps = steps;
        this.chunks = new int[graph.size()];
        this.offsets = new long[graph.size()];
        this.chunkSizes = new long[request.bufferCount()][];
        for (int buffer = 0; buffer < chunkSizes.length; buffer++) {
            int memory = request.firstWithSameType(buffer);
            chunkSizes[buffer] = memory < buffer ? chunkSizes[memory] : pack(memory);
        }
    }

    /** Places the chains of one memory and returns the sizes of its chunks. */
    private long[] pack(int memory) {
        int[] heads = headsIn(memory);
        if (heads.length == 0) {
            return new long[isUsed(memory) ? 1 : 0];
        }
        // In units of the alignment, every offset is a multiple of it.
        long unit = request.bufferType(memory).alignment();
        Problem problem = problem(heads, unit);
        lowerBound = ByteSums.sum(lowerBound, LowerBound.of(problem) * unit);
        long limit = request.bufferType(memory).maxBufferSize() / unit;
        ChunkedSolution packed = ChunkedPacking.of(problem, limit, steps);
        for (int i = 0; i < heads.length; i++) {
            chunks[heads[i]] = packed.chunks()[i];
            offsets[heads[i]] = packed.offsets()[i] * unit;
        }
        return Arrays.stream(packed.heights()).map(height -> height * unit).toArray();
    }

    /** The non-empty chains of a memory. */
    private int[] headsIn(int memory) {
        return IntStream.range(0, graph.size())
                .filter(id -> isIn(id, memory) && chains.head(id) == id && chains.size(id) > 0)
                .toArray();
    }

    /** Whether a memory has any tensor, including empty ones. */
    private boolean isUsed(int memory) {
        return IntStream.range(0, graph.size()).anyMatch(id -> isIn(id, memory));
    }

    private boolean isIn(int id, int memory) {
        return chains.isPlanned(id) && chains.memory(id) == memory;
    }

    private Problem problem(int[] heads, long unit) {
        ProblemBuilder problem = Problem.builder();
        for (int head : heads) {
            problem.add(chains.from(head), chains.to(head) + 1L, chains.padded(head) / unit);
        }
        return problem.build();
    }

    /** The most bytes live at once, in all memories together. */
    long lowerBound() {
        return lowerBound;
    }

    /** The bytes taken, in all memories together. */
    long size() {
        long sum = 0;
        for (int buffer = 0; buffer < chunkSizes.length; buffer++) {
            if (request.firstWithSameType(buffer) == buffer) {
                sum = ByteSums.sum(sum, ByteSums.sum(chunkSizes[buffer]));
            }
        }
        return sum;
    }

    /** The plan with every tensor at the place of its chain. */
    MemoryPlan plan(String planner) {
        MemoryPlanBuilder plan = MemoryPlan.builder(planner, request);
        for (int id = 0; id < graph.size(); id++) {
            if (chains.isPlanned(id) && chains.over(id) == Graph.NO_ID) {
                int head = chains.head(id);
                plan.place(id, chains.buffer(id), chunks[head], offsets[head]);
            }
        }
        // A result is a node, and the operand it overwrites is a leaf or a node before it.
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (chains.isPlanned(node) && chains.over(node) != Graph.NO_ID) {
                plan.placeOver(node, chains.over(node));
            }
        }
        return plan.build();
    }
}
