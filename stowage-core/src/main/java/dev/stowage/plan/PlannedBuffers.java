package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MultiBuffer;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a plan: one per chunk of each buffer type. A type listed twice has the same buffers in both places. As
 * in ggml, the chunks of a type are allocated and freed together. Immutable: growing makes a new set that shares
 * buffers.
 */
final class PlannedBuffers {

    private static final Buffer[] NO_CHUNKS = {};

    private final Buffer[][] chunks;

    private PlannedBuffers(Buffer[][] chunks) {
        this.chunks = chunks;
    }

    static PlannedBuffers none(int types) {
        Buffer[][] chunks = new Buffer[types][];
        Arrays.fill(chunks, NO_CHUNKS);
        return new PlannedBuffers(chunks);
    }

    /** Whether every chunk of a plan has a buffer that is large enough. */
    boolean hold(MemoryPlan plan) {
        return IntStream.range(0, chunks.length).allMatch(buffer -> hold(plan, buffer));
    }

    private boolean hold(MemoryPlan plan, int buffer) {
        Buffer[] held = chunks[buffer];
        if (plan.chunkCount(buffer) > held.length) {
            return false;
        }
        for (int chunk = 0; chunk < plan.chunkCount(buffer); chunk++) {
            if (plan.chunkSize(buffer, chunk) > held[chunk].size()) {
                return false;
            }
        }
        return true;
    }

    /** Buffers that hold a plan: these where they are large enough, new ones otherwise. */
    PlannedBuffers grownFor(MemoryPlan plan) {
        Buffer[][] grown = new Buffer[chunks.length][];
        List<Buffer> taken = new ArrayList<>();
        try {
            for (int buffer = 0; buffer < chunks.length; buffer++) {
                int first = plan.request().firstWithSameType(buffer);
                if (first < buffer) {
                    grown[buffer] = grown[first];
                } else {
                    grown[buffer] = hold(plan, buffer) ? chunks[buffer] : take(plan, buffer, taken);
                }
            }
        } catch (RuntimeException | Error failure) {
            closeAll(taken, failure);
            throw failure;
        }
        return new PlannedBuffers(grown);
    }

    private static Buffer[] take(MemoryPlan plan, int buffer, List<Buffer> taken) {
        BufferType type = plan.request().bufferType(buffer);
        Buffer[] fresh = new Buffer[plan.chunkCount(buffer)];
        for (int chunk = 0; chunk < fresh.length; chunk++) {
            fresh[chunk] = Allocations.allocate(type, plan.chunkSize(buffer, chunk));
            taken.add(fresh[chunk]);
            fresh[chunk].setUsage(BufferUsage.COMPUTE);
        }
        return fresh;
    }

    void reset() {
        for (Buffer[] held : chunks) {
            for (Buffer chunk : held) {
                chunk.reset();
            }
        }
    }

    /** Binds a graph: planned tensors in these buffers, the others in their own memory. */
    BoundGraph bind(MemoryPlan plan, Graph graph) {
        @Nullable Buffer[] buffers = new Buffer[graph.size()];
        long[] offsets = new long[buffers.length];
        Initialization initialization = new Initialization();
        for (int id = 0; id < buffers.length; id++) {
            Tensor tensor = graph.tensor(id);
            if (plan.isPlanned(id)) {
                Buffer chunk = chunks[plan.buffer(id)][plan.chunk(id)];
                initialization.add(tensor, chunk, plan.offset(id));
                buffers[id] = chunk;
                offsets[id] = plan.offset(id);
            } else if (!tensor.isView() && tensor.isPlaced()) {
                buffers[id] = Buffer.of(tensor);
                offsets[id] = tensor.storageOffset();
            }
        }
        for (int id = 0; id < buffers.length; id++) {
            int source = graph.viewSource(id);
            Buffer buffer = source == Graph.NO_ID ? null : buffers[source];
            if (buffer != null) {
                buffers[id] = buffer;
                offsets[id] = offsets[source] + graph.tensor(id).viewOffset();
                if (plan.isPlanned(source)) {
                    initialization.add(graph.tensor(id), buffer, offsets[id]);
                }
            }
        }
        initialization.complete();
        return new BoundGraph(graph, buffers, offsets, plan);
    }

    long size(int buffer) {
        return Arrays.stream(chunks[buffer]).mapToLong(Buffer::size).sum();
    }

    List<Buffer> chunks(int buffer) {
        return List.of(chunks[buffer]);
    }

    /** Closes every buffer that the other set does not hold, even if one fails to close. */
    void closeExcept(PlannedBuffers kept) {
        List<Buffer> closing = new ArrayList<>();
        for (int buffer = 0; buffer < chunks.length; buffer++) {
            if (!Arrays.equals(chunks[buffer], kept.chunks[buffer])) {
                closing.addAll(chunks(buffer));
            }
        }
        closeAll(closing);
    }

    private static void closeAll(List<Buffer> buffers) {
        if (!buffers.isEmpty()) {
            MultiBuffer.of(buffers).close();
        }
    }

    private static void closeAll(List<Buffer> buffers, Throwable because) {
        try {
            closeAll(buffers);
        } catch (RuntimeException | Error e) {
            because.addSuppressed(e);
        }
    }
}
