package dev.stowage.device.compare;

import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A graph with all its tensors made again in other memory: same ops, same wiring, views of the copies where the
 * originals are views, and the bytes of every tensor that has memory. Nothing is shared with the original, so that one
 * graph can be run on two devices and compared. Owns its memory; closing frees it.
 *
 * <p>Every tensor gets bytes of its own, as no plan is made: a copy of a large graph takes a lot of memory.
 */
public final class GraphCopy implements AutoCloseable {

    private final Graph original;
    private final Graph graph;
    private final @Nullable Tensor[] copies;
    private final Buffer buffer;

    private GraphCopy(Graph original, BufferType type) {
        this.original = original;
        this.copies = new Tensor[original.size()];
        for (int id = original.nodeCount(); id < original.size(); id++) {
            copy(id);
        }
        for (int id = 0; id < original.nodeCount(); id++) {
            copy(id);
        }
        this.graph = Graph.listed(listed(0, original.nodeCount()), listed(original.nodeCount(), original.leafCount()));
        this.buffer = Allocations.allocateAll(sourcesBeforeViews(), type);
    }

    /**
     * Copies a graph into such memory, with the bytes of every tensor that has memory of its own.
     *
     * @throws StowageException if there is not enough of it, or a transfer fails; nothing is left over then
     */
    public static GraphCopy of(Graph graph, BufferType type) {
        return filled(
                new GraphCopy(graph, type),
                id -> graph.tensor(id).isPlaced() ? Optional.of(BoundTensor.of(graph.tensor(id))) : Optional.empty());
    }

    /**
     * Copies a bound graph into such memory, with the bytes of every tensor that has memory.
     *
     * @throws StowageException if there is not enough of it, or a transfer fails; nothing is left over then
     */
    public static GraphCopy of(BoundGraph bound, BufferType type) {
        return filled(
                new GraphCopy(bound.graph(), type),
                id -> bound.hasMemory(id) ? Optional.of(bound.tensor(id)) : Optional.empty());
    }

    private static GraphCopy filled(GraphCopy copy, IntFunction<Optional<BoundTensor>> originals) {
        try {
            for (int id = 0; id < copy.original.size(); id++) {
                if (!copy.original.tensor(id).isView()) {
                    BoundTensor target = BoundTensor.of(copy.copy(id));
                    originals.apply(id).ifPresent(from -> Buffer.copy(from, target));
                }
            }
            return copy;
        } catch (RuntimeException | Error failure) {
            copy.close();
            throw failure;
        }
    }

    private Tensor copy(int id) {
        Tensor known = copies[id];
        if (known != null) {
            return known;
        }
        Tensor tensor = original.tensor(id);
        Tensor.Builder copy = Tensor.builder(tensor.layout()).name(original.label(id));
        if (!original.isExternal(id)) {
            copy.op(tensor.op(), tensor.parameters());
            copySources(id, copy);
        }
        if (original.viewSource(id) != Graph.NO_ID) {
            copy.viewOf(copy(original.viewSource(id)), tensor.viewOffset());
        }
        Tensor made = marked(copy.build(), id);
        copies[id] = made;
        return made;
    }

    private void copySources(int id, Tensor.Builder copy) {
        for (int slot = original.firstSlot(id); slot < original.endSlot(id); slot++) {
            int source = original.sourceAt(slot);
            if (source == id) {
                copy.sourceItself(slot - original.firstSlot(id));
            } else if (source != Graph.NO_ID) {
                copy.sourceAt(slot - original.firstSlot(id), copy(source));
            }
        }
    }

    private Tensor marked(Tensor copy, int id) {
        if (original.isInput(id)) {
            copy.asInput();
        }
        if (original.isOutput(id)) {
            copy.asOutput();
        }
        if (original.isWeight(id)) {
            copy.asWeight();
        }
        return copy;
    }

    private List<Tensor> listed(int from, int count) {
        List<Tensor> list = new ArrayList<>(count);
        for (int id = from; id < from + count; id++) {
            list.add(copy(id));
        }
        return list;
    }

    private List<Tensor> sourcesBeforeViews() {
        List<Tensor> all = listed(0, original.size());
        all.sort(Comparator.comparing(Tensor::isView));
        return all;
    }

    /** The graph made of the copies; every tensor has the id its original has. */
    public Graph graph() {
        return graph;
    }

    /** The same graph, bound to the memory of the copies. */
    public BoundGraph bound() {
        return BoundGraph.of(graph);
    }

    /** The copy of a tensor of the original graph. */
    public Tensor copyOf(Tensor tensor) {
        return copy(original.idOf(tensor));
    }

    @Override
    public void close() {
        buffer.close();
    }
}
