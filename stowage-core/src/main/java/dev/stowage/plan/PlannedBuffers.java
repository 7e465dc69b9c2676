package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MultiBuffer;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The real buffers behind a plan: for each buffer type one buffer per chunk. Where a type is listed twice both places
 * hold the same buffers. The chunks of a type come and go together, as in ggml. The set itself never changes; growing
 * makes a new one that shares what need not grow.
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
        for (int buffer = 0; buffer < chunks.length; buffer++) {
            if (!hold(plan, buffer)) {
                return false;
            }
        }
        return true;
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

    /** Buffers that hold a plan: these where they are large enough, new ones of the planned sizes where not. */
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
            fresh[chunk] = FlightRecording.isOn()
                    ? BufferEvent.recorded(type, plan.chunkSize(buffer, chunk))
                    : type.allocate(plan.chunkSize(buffer, chunk));
            taken.add(fresh[chunk]);
            fresh[chunk].setUsage(BufferUsage.COMPUTE);
        }
        return fresh;
    }

    @SuppressWarnings("ReferenceEquality") // two storages are the same memory only if they are the same object
    boolean contain(Storage buffer) {
        for (Buffer[] held : chunks) {
            for (Buffer chunk : held) {
                if (chunk == buffer) {
                    return true;
                }
            }
        }
        return false;
    }

    void reset() {
        for (Buffer[] held : chunks) {
            for (Buffer chunk : held) {
                chunk.reset();
            }
        }
    }

    /** Whether every tensor of a graph lies where a plan for this very graph has it, and the rest have memory as before. */
    boolean alreadyBound(MemoryPlan plan, Graph graph) {
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)) {
                if (!graph.tensor(id).liesAt(chunks[plan.buffer(id)][plan.chunk(id)], plan.offset(id))) {
                    return false;
                }
            } else if (plan.request().isFixed(id) && !isStillElsewhere(graph, id)) {
                return false;
            }
        }
        return true;
    }

    private boolean isStillElsewhere(Graph graph, int id) {
        Tensor tensor = graph.tensor(id);
        return tensor.isPlaced() && !(graph.isOutsider(id) && contain(tensor.storage()));
    }

    /** Moves the planned tensors of a graph to their places; those that lie there already are left alone. */
    void bind(MemoryPlan plan, Graph graph) {
        try {
            if (move(plan, graph)) {
                initializeViews(plan, graph);
            }
        } catch (RuntimeException | Error refused) {
            displace(plan, graph);
            throw refused;
        }
    }

    private boolean move(MemoryPlan plan, Graph graph) {
        boolean moved = false;
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)) {
                Buffer chunk = chunks[plan.buffer(id)][plan.chunk(id)];
                Tensor tensor = graph.tensor(id);
                if (!tensor.liesAt(chunk, plan.offset(id))) {
                    chunk.place(tensor, plan.offset(id));
                    moved = true;
                }
            }
        }
        return moved;
    }

    private static void displace(MemoryPlan plan, Graph graph) {
        for (int id = 0; id < graph.size(); id++) {
            if (plan.isPlanned(id)) {
                graph.tensor(id).displace();
            }
        }
    }

    private static void initializeViews(MemoryPlan plan, Graph graph) {
        for (int id = 0; id < graph.size(); id++) {
            int viewSource = graph.viewSource(id);
            if (viewSource != Graph.NO_ID && plan.isPlanned(viewSource)) {
                Buffer.of(graph.tensor(id)).initializeView(graph.tensor(id));
            }
        }
    }

    long size(int buffer) {
        long sum = 0;
        for (Buffer chunk : chunks[buffer]) {
            sum += chunk.size();
        }
        return sum;
    }

    List<Buffer> chunks(int buffer) {
        return List.of(chunks[buffer]);
    }

    /** Closes every buffer that the other set does not hold too, even when one fails to close. */
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
