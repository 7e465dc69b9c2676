package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A buffer type that ggml calls back for its rules, which are those of a buffer type of ours, and whose buffers take no
 * memory. With it ggml can be asked to plan for any alignment and largest buffer.
 *
 * <p>A tensor has to take exactly its bytes in such memory: recent versions of ggml end the process where most ops'
 * results take more. Close the type after every allocator that uses it. Like them it belongs to one thread.
 */
public final class GgmlMeasuringType implements GgmlBufferType, AutoCloseable {

    private final Arena arena = Arena.ofConfined();
    private final BufferType rules;
    private final MeasuringCallbacks callbacks;
    private boolean closed;

    private GgmlMeasuringType(GgmlLibrary library, BufferType rules) {
        this.rules = rules;
        this.callbacks = new MeasuringCallbacks(library.functions(), rules, arena);
    }

    /** A type with the rules of one of ours. */
    public static GgmlMeasuringType like(GgmlLibrary library, BufferType rules) {
        return new GgmlMeasuringType(library, rules);
    }

    /** Refuses a graph with a tensor that takes more than its bytes. */
    public void requirePlainSizes(Graph graph) {
        for (int id = 0; id < graph.size(); id++) {
            Tensor tensor = graph.tensor(id);
            long taken = rules.allocationSize(tensor);
            if (taken != tensor.byteSize()) {
                throw new InvalidPlanException(tensor.describe() + " of " + tensor.byteSize() + " bytes takes " + taken
                        + " in " + rules.name() + ", which ggml cannot be asked to plan for");
            }
        }
    }

    @Override
    public String name() {
        return rules.name();
    }

    @Override
    public long alignment() {
        return rules.alignment();
    }

    @Override
    public MemorySegment address() {
        if (closed) {
            throw new ClosedException("the buffer type " + name() + " is closed");
        }
        return callbacks.typeStruct();
    }

    /** ggml frees the chunks of a buffer before it takes new ones, so those open are in the order of the chunks. */
    @Override
    public int chunk(MemorySegment buffer) {
        return callbacks.openBuffers().indexOf(buffer.address());
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            arena.close();
        }
    }

    @Override
    public String toString() {
        return "measuring " + name();
    }
}
