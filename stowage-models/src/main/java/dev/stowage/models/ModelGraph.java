package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Objects;

/**
 * One run of a model: its weights, its caches and the graph that reads them, without a byte of any of them.
 *
 * @param shape the model
 * @param weights what the model has learnt, in the order of a file
 * @param cache what it keeps from one run to the next
 * @param graph what is computed in one run
 * @param layers which layer every node, weight and cache belongs to
 */
public record ModelGraph(ModelShape shape, List<Tensor> weights, List<Tensor> cache, Graph graph, LayerMap layers) {

    public ModelGraph {
        Objects.requireNonNull(shape);
        Objects.requireNonNull(graph);
        Objects.requireNonNull(layers);
        weights = List.copyOf(weights);
        cache = List.copyOf(cache);
    }

    /**
     * Gives weights and caches a place in buffers that only measure, and returns this model. A planner then leaves them out
     * and plans what passes between them.
     */
    public ModelGraph inMeasuredMemory() {
        place(weights, "weights", BufferUsage.WEIGHTS);
        place(cache, "cache", BufferUsage.ANY);
        return this;
    }

    /** The buffers need no closing: there is no memory to give back. */
    private static void place(List<Tensor> tensors, String name, BufferUsage usage) {
        MeasuringBufferType type = MeasuringBufferType.of(name, HostBufferType.STANDARD_ALIGNMENT);
        Allocations.allocateAll(tensors, type).setUsage(usage);
    }

    /** The bytes of all weights. */
    public long weightBytes() {
        return sum(weights);
    }

    /** The bytes of all caches. */
    public long cacheBytes() {
        return sum(cache);
    }

    private long sum(List<Tensor> tensors) {
        try {
            return tensors.stream().mapToLong(Tensor::byteSize).reduce(0, Math::addExact);
        } catch (ArithmeticException _) {
            throw new InvalidGraphException(shape.name() + " has more bytes than a long can count");
        }
    }

    @Override
    public String toString() {
        return "ModelGraph[" + shape.name() + ", " + weights.size() + " weights, " + cache.size() + " caches, " + graph
                + "]";
    }
}
