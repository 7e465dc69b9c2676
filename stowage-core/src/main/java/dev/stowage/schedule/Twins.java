package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Graphs that are put together alike: the same ops on the same layouts, wired and marked in the same way, with what has
 * memory of its own in the same kind of memory. What was decided for one holds for the other, so that a language model,
 * which builds its graph anew for every token, has it scheduled once.
 */
final class Twins {

    /** By id of the planned graph, the id of the caller's tensor there; {@link Graph#NO_ID} for what was added. */
    private final int[] planned;
    /** By split and id of its graph, the id of the planned graph's tensor there. */
    private final int[][] splits;

    private Twins(int[] planned, int[][] splits) {
        this.planned = planned;
        this.splits = splits;
    }

    /** Takes down which tensor of a planned graph and the graphs of its splits is which of the caller's. */
    static Twins of(Graph graph, Graph plannedGraph, BoundSplit[] bound) {
        int[] planned = new int[plannedGraph.size()];
        for (int id = 0; id < planned.length; id++) {
            Tensor tensor = plannedGraph.tensor(id);
            planned[id] = graph.contains(tensor) ? graph.idOf(tensor) : Graph.NO_ID;
        }
        int[][] splits = new int[bound.length][];
        for (int split = 0; split < splits.length; split++) {
            Graph run = bound[split].graph();
            splits[split] = new int[run.size()];
            for (int id = 0; id < splits[split].length; id++) {
                splits[split][id] = plannedGraph.idOf(run.tensor(id));
            }
        }
        return new Twins(planned, splits);
    }

    /** The planned graph with the tensors of a twin of the caller's. */
    Graph planned(Graph plannedGraph, Graph twin) {
        Tensor[] tensors = new Tensor[planned.length];
        for (int id = 0; id < tensors.length; id++) {
            tensors[id] = planned[id] == Graph.NO_ID ? plannedGraph.tensor(id) : twin.tensor(planned[id]);
        }
        for (int id = 0; id < tensors.length; id++) {
            if (planned[id] == Graph.NO_ID && plannedGraph.viewSource(id) != Graph.NO_ID) {
                tensors[id] = Draft.keeper(tensors[plannedGraph.sourceAt(plannedGraph.firstSlot(id))]);
            }
        }
        return plannedGraph.withTensors(tensors);
    }

    /** The graph of a split with the tensors of a twin of the planned graph. */
    Graph split(int split, Graph run, Graph plannedTwin) {
        Tensor[] tensors = new Tensor[run.size()];
        for (int id = 0; id < tensors.length; id++) {
            tensors[id] = plannedTwin.tensor(splits[split][id]);
        }
        return run.withTensors(tensors);
    }

    /** Whether what was decided for one graph holds for another; {@code lain} is the memory the one's tensors had. */
    static boolean areAlike(Graph one, @Nullable Storage[] lain, Graph other) {
        if (!one.isWiredLike(other)) {
            return false;
        }
        for (int id = 0; id < lain.length; id++) {
            Tensor known = one.tensor(id);
            Tensor tensor = other.tensor(id);
            boolean isSame = known.serial() == tensor.serial();
            if (!(isSame || isMadeAlike(known, tensor)) || !liesAlike(lain[id], ownStorage(other, id))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMadeAlike(Tensor one, Tensor other) {
        return one.op() == other.op()
                && one.layout().equals(other.layout())
                && one.viewOffset() == other.viewOffset()
                && one.parameters().equals(other.parameters());
    }

    @SuppressWarnings("ReferenceEquality") // memory is the same only if it is the same object
    private static boolean liesAlike(@Nullable Storage one, @Nullable Storage other) {
        if (one == other) {
            return true;
        }
        return one instanceof Buffer before
                && other instanceof Buffer now
                && before.type().equals(now.type())
                && before.usage() == now.usage();
    }

    /** The memory of its own that a tensor lies in; what lies in memory that was planned has none. */
    static @Nullable Storage ownStorage(Graph graph, int id) {
        Tensor tensor = graph.tensor(id);
        if (!tensor.isPlaced()) {
            return null;
        }
        Storage storage = tensor.storage();
        boolean isPlanned = storage instanceof Buffer buffer && buffer.usage() == BufferUsage.COMPUTE;
        return isPlanned && !graph.isOutsider(id) ? null : storage;
    }
}
