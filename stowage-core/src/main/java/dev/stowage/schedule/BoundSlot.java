package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphPart;
import dev.stowage.graph.wiring.TensorSubstitution;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferGroup;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.TensorPair;
import dev.stowage.plan.BoundGraph;
import dev.stowage.schedule.pass.ExpertReads;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A bound schedule in one pipeline slot: the places of the graph inputs, and the splits. */
final class BoundSlot implements AutoCloseable {

    private final Draft draft;
    private final Graph graph;
    private final PlannedGraph planned;
    private final BoundGraph memory;
    private final BoundSplit[] splits;
    /** By id of the caller's graph, made when first asked for. */
    private @Nullable BoundTensor[] tensors = {};
    /** What a run uses, found when it first runs. */
    private Backend[] backends = {};

    private @Nullable BufferGroup buffers;

    /**
     * Binds the splits of a schedule in a slot.
     *
     * @param planned the graph that was planned
     * @param firstSlot where its tensors are stored in the first slot
     * @param parts the graphs of the splits, cut out of the planned graph for the slot
     * @param byDevice the backend of each device
     */
    BoundSlot(
            Draft draft,
            PlannedGraph planned,
            BoundGraph firstSlot,
            List<GraphPart> parts,
            List<Backend> byDevice,
            int slot) {
        this.draft = draft;
        this.graph = draft.request().graph();
        this.planned = planned;
        this.memory = slot == 0 ? firstSlot : withSlottedInputs(firstSlot, slot);
        this.splits = new BoundSplit[parts.size()];
        int[] callers = planned.callersGraph() == graph ? null : planned.callersIds();
        for (int split = 0; split < splits.length; split++) {
            GraphPart part = parts.get(split);
            Graph run = callers == null ? part.graph() : withTensorsOf(graph, callers, planned.graph(), part);
            Backend backend = byDevice.get(draft.splitting().device(split));
            splits[split] = new BoundSplit(
                    split, backend, memory.part(run, part.ids()), inputs(byDevice, backend, split, slot));
        }
    }

    /** Moves inputs to their place of the slot; tensors with memory of their own, and views of them, stay. */
    private BoundGraph withSlottedInputs(BoundGraph firstSlot, int slot) {
        Splitting splitting = draft.splitting();
        int[] ids = new int[splitting.graphInputCount()];
        int[] at = new int[ids.length];
        for (int index = 0; index < ids.length; index++) {
            int id = planned.idOf(splitting.graphInput(index));
            boolean isView = planned.graph().viewSource(id) != Graph.NO_ID;
            boolean isSlotted = draft.copies().spares(index).length > 0 && !planned.hasOwnMemory(id) && !isView;
            ids[index] = id;
            at[index] = isSlotted ? planned.spareId(index, slot) : id;
        }
        return firstSlot.movedTo(ids, at);
    }

    private static Graph withTensorsOf(Graph identical, int[] callers, Graph planned, GraphPart part) {
        Tensor[] tensors = new Tensor[part.ids().length];
        for (int id = 0; id < tensors.length; id++) {
            int plannedId = part.ids()[id];
            int callersId = callers[plannedId];
            tensors[id] = callersId == Graph.NO_ID ? planned.tensor(plannedId) : identical.tensor(callersId);
        }
        return TensorSubstitution.of(part.graph(), tensors);
    }

    private InputCopy[] inputs(List<Backend> byDevice, Backend reader, int split, int slot) {
        Splitting splitting = draft.splitting();
        int firstNode = PreferredOrder.node(draft.order(), splitting.firstNode(split));
        int first = splitting.firstInput(split);
        InputCopy[] inputs = new InputCopy[splitting.endInput(split) - first];
        for (int i = 0; i < inputs.length; i++) {
            int source = splitting.input(first + i).source();
            Backend producer = byDevice.get(splitting.input(first + i).from());
            TensorPair copied = new TensorPair(
                    planned.at(memory, graph.tensor(source), planned.idOf(source)),
                    memory.tensor(planned.copyId(first + i, slot)));
            boolean isConstant = isConstant(source);
            inputs[i] = new InputCopy(
                    copied,
                    producer,
                    isConstant || reader.device().copiesAsyncFrom(producer.device()),
                    isConstant && !ExpertReads.areCopiedInParts(graph, firstNode, source));
        }
        return inputs;
    }

    /** Whether a tensor is a weight that the graph does not write: then there is nothing that a copy has to be ordered with. */
    private boolean isConstant(int id) {
        Tensor source = graph.tensor(id);
        return !graph.isNode(id)
                && source.isPlaced()
                && Buffer.of(source).usage() == BufferUsage.WEIGHTS
                && !draft.splitting().isWritten(id);
    }

    BoundTensor tensor(Tensor tensor) {
        int id = graph.idOf(tensor);
        if (tensors.length == 0) {
            tensors = new BoundTensor[graph.size()];
        }
        BoundTensor known = tensors[id];
        if (known == null) {
            known = planned.at(memory, tensor, planned.idOf(id));
            tensors[id] = known;
        }
        return known;
    }

    /**
     * Whether a leaf is not marked as an input. Only inputs have a place per slot or are waited for, so writing such a
     * leaf could change runs in flight.
     */
    boolean isUnmarked(Tensor tensor) {
        int root = graph.root(graph.idOf(tensor));
        return !graph.isNode(root) && !graph.isInput(root) && !planned.hasOwnMemory(planned.idOf(root));
    }

    BoundSplit[] splits() {
        return splits;
    }

    /** The backends that compute the splits, or that inputs are copied from. */
    Backend[] backends() {
        if (backends.length == 0) {
            Set<Backend> used = new LinkedHashSet<>();
            for (BoundSplit split : splits) {
                used.add(split.backend());
                for (int input = 0; input < split.inputCount(); input++) {
                    used.add(split.input(input).producer());
                }
            }
            backends = used.toArray(Backend[]::new);
        }
        return backends;
    }

    BufferGroup buffers() {
        BufferGroup known = buffers;
        if (known == null) {
            List<Buffer> used = new ArrayList<>();
            for (BoundSplit split : splits) {
                for (int index = 0; index < split.graph().bufferCount(); index++) {
                    used.add(split.graph().distinctBuffer(index));
                }
                for (int input = 0; input < split.inputCount(); input++) {
                    used.add(split.input(input).source().buffer());
                    used.add(split.input(input).copy().buffer());
                }
            }
            known = BufferGroup.of(used.toArray(Buffer[]::new));
            buffers = known;
        }
        return known;
    }

    /** Reuses the prepared graphs of the same slot of a structurally identical graph, if there is one. */
    void reuse(@Nullable BoundSlot[] inherited, int slot) {
        BoundSlot before = inherited[slot];
        inherited[slot] = null;
        for (int split = 0; before != null && split < splits.length; split++) {
            splits[split].reuse(before.splits[split]);
        }
    }

    @Override
    public void close() {
        for (BoundSplit split : splits) {
            split.close();
        }
    }
}
