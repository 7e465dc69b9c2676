package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Changes plans at random, by one to three of the mistakes that a planner could make: a tensor at another offset, on
 * another tensor, in another buffer or chunk, two of them swapped, places of operands taken or claimed that must not be,
 * bytes missing, chunks too small or too large. Most changes stay within the memory there is, so that the plan is wrong,
 * if at all, for what it overwrites.
 */
final class PlanMutator {

    private final Random random;
    private final PlanParts parts;
    private final Graph graph;
    private final int[] planned;

    private PlanMutator(MemoryPlan plan, long seed) {
        this.random = new Random(seed);
        this.parts = PlanParts.of(plan);
        this.graph = plan.graph();
        this.planned = IntStream.range(0, graph.size()).filter(plan::isPlanned).toArray();
    }

    /** That plan with some changes, the same for the same seed; it may still be a good one. */
    static MemoryPlan mutated(MemoryPlan plan, long seed) {
        PlanMutator mutator = new PlanMutator(plan, seed);
        int changes = 1 + mutator.random.nextInt(3);
        for (int i = 0; i < changes && mutator.planned.length > 0; i++) {
            mutator.change(mutator.anyPlanned());
        }
        return mutator.parts.plan();
    }

    private void change(int id) {
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3 -> move(id, random.nextLong(chunkSize(id) + 1));
            case 4, 5 -> move(id, Math.max(0, parts.offsets[id] + (random.nextInt(9) - 4) * alignment(id)));
            case 6, 7, 8 -> moveOnto(id, anyPlanned());
            case 9, 10 -> swap(id, anyPlanned());
            case 11, 12, 13, 14, 15 -> takePlaceOfOperand(id);
            case 16 -> claim(id);
            case 17 -> parts.inPlaceOf[id] = Graph.NO_ID;
            case 18 -> putIntoOtherBuffer(id);
            case 19, 20 -> putIntoOtherChunk(id);
            case 21 -> parts.offsets[id] += 1 + random.nextLong(alignment(id));
            case 22 -> resizeChunk(id);
            default -> breakPlace(random.nextInt(graph.size()));
        }
    }

    private int anyPlanned() {
        return planned[random.nextInt(planned.length)];
    }

    private boolean isPlaced(int id) {
        return parts.buffers[id] >= 0
                && parts.buffers[id] < parts.chunkSizes.length
                && parts.chunks[id] >= 0
                && parts.chunks[id] < chunks(id).length;
    }

    private long[] chunks(int id) {
        return parts.chunkSizes[parts.request.firstWithSameType(parts.buffers[id])];
    }

    private long chunkSize(int id) {
        return isPlaced(id) ? chunks(id)[parts.chunks[id]] : 64;
    }

    private long alignment(int id) {
        return isPlaced(id) ? parts.request.bufferType(parts.buffers[id]).alignment() : 1;
    }

    /** Moves a tensor to an aligned offset near there, within its chunk if it fits, and what is computed over it too. */
    private void move(int id, long offset) {
        long aligned = Math.min(offset, Math.max(0, chunkSize(id) - parts.sizes[id])) / alignment(id) * alignment(id);
        if (random.nextInt(3) > 0) {
            for (int other : planned) {
                if (parts.inPlaceOf[other] == id && parts.offsets[other] == parts.offsets[id]) {
                    parts.offsets[other] = aligned;
                }
            }
        }
        parts.offsets[id] = aligned;
        if (random.nextBoolean()) {
            parts.inPlaceOf[id] = Graph.NO_ID;
        }
        growChunk(id);
    }

    private void moveOnto(int id, int there) {
        parts.buffers[id] = parts.buffers[there];
        parts.chunks[id] = parts.chunks[there];
        parts.offsets[id] = parts.offsets[there];
        if (random.nextInt(4) > 0) {
            parts.inPlaceOf[id] = Graph.NO_ID;
        }
        fit(id);
    }

    private void swap(int a, int b) {
        int buffer = parts.buffers[a];
        int chunk = parts.chunks[a];
        long offset = parts.offsets[a];
        moveOnto(a, b);
        parts.buffers[b] = buffer;
        parts.chunks[b] = chunk;
        parts.offsets[b] = offset;
        fit(b);
    }

    /** Gives a tensor the bytes it takes where it now is, in a chunk that has so many. */
    private void fit(int id) {
        if (isPlaced(id)) {
            parts.sizes[id] = parts.request.bufferType(parts.buffers[id]).allocationSize(graph.tensor(id));
            growChunk(id);
        }
    }

    private void growChunk(int id) {
        if (isPlaced(id) && random.nextInt(12) > 0) {
            long end = Math.ceilDiv(parts.offsets[id] + parts.sizes[id], alignment(id)) * alignment(id);
            chunks(id)[parts.chunks[id]] = Math.max(chunkSize(id), end);
        }
    }

    /** Puts a result in the place of something it reads, and says so: often allowed, often not. */
    private void takePlaceOfOperand(int id) {
        int owner = anyOperand(id);
        if (owner != Graph.NO_ID && parts.buffers[owner] != MemoryPlan.NOT_PLANNED) {
            moveOnto(id, owner);
            parts.inPlaceOf[id] = owner;
        }
    }

    private void claim(int id) {
        parts.inPlaceOf[id] = random.nextBoolean() ? anyOperand(id) : anyPlanned();
    }

    private int anyOperand(int id) {
        int slots = graph.endSlot(id) - graph.firstSlot(id);
        int source = slots == 0 ? Graph.NO_ID : graph.sourceAt(graph.firstSlot(id) + random.nextInt(slots));
        return source == Graph.NO_ID || graph.viewSource(source) == Graph.NO_ID ? source : graph.viewSource(source);
    }

    private void putIntoOtherBuffer(int id) {
        parts.buffers[id] = random.nextInt(-2, parts.request.bufferCount() + 1);
        if (random.nextBoolean() && isPlaced(id)) {
            parts.inPlaceOf[id] = Graph.NO_ID;
            move(id, parts.offsets[id]);
            fit(id);
        }
    }

    private void putIntoOtherChunk(int id) {
        if (!isPlaced(id)) {
            return;
        }
        int memory = parts.request.firstWithSameType(parts.buffers[id]);
        int count = parts.chunkSizes[memory].length;
        parts.chunks[id] = random.nextInt(count + 1);
        if (parts.chunks[id] == count && random.nextInt(6) > 0) {
            parts.chunkSizes[memory] = Arrays.copyOf(parts.chunkSizes[memory], count + 1);
        }
        if (random.nextInt(3) > 0) {
            parts.inPlaceOf[id] = Graph.NO_ID;
            move(id, random.nextBoolean() ? 0 : parts.offsets[id]);
        }
        fit(id);
    }

    private void resizeChunk(int id) {
        if (isPlaced(id)) {
            long change = random.nextBoolean() ? -1 - random.nextInt(64) : random.nextInt(600);
            chunks(id)[parts.chunks[id]] = Math.max(0, chunkSize(id) + change);
        }
    }

    /** What no move does: takes a place away, gives one to what needs none, cuts bytes off, goes out of all bounds. */
    private void breakPlace(int id) {
        switch (random.nextInt(6)) {
            case 0 -> parts.inPlaceOf[id] = random.nextInt(-2, graph.size() + 2);
            case 5 -> parts.buffers[id] = MemoryPlan.NOT_PLANNED;
            case 1 -> parts.buffers[id] = random.nextInt(parts.request.bufferCount());
            case 2 -> parts.sizes[id] -= 1 + random.nextInt(8);
            case 3 -> parts.chunks[id] = random.nextInt(-1, 4);
            default -> parts.offsets[id] = random.nextBoolean() ? -alignment(id) : Long.MAX_VALUE - random.nextInt(64);
        }
    }
}
