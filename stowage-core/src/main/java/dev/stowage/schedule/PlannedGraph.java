package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphAssembly;
import dev.stowage.graph.wiring.GraphPart;
import dev.stowage.graph.wiring.GraphSlicer;
import dev.stowage.internal.IntList;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.PlanRequest;
import dev.stowage.schedule.pass.Splitting;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The graph that memory is planned for: the caller's graph with the input copies of every split before its nodes, and
 * nodes wired to the copies. Maps tensors to the caller's and gives the graphs of the splits.
 *
 * <pre>
 *   planned:   [keep x] [x']  n4 n5  [keep y] [y']  n6 ...     leaves: copies for pipeline slots, then the graph's
 *               split 1               split 2
 * </pre>
 *
 * <p>"keep x" is a view of x without an op, which keeps x live until it has been copied.
 */
final class PlannedGraph {

    private final Draft draft;
    private final Graph graph;
    private final Splitting splitting;
    private final GraphAssembly assembly;
    private final IntList nodeDevices;
    private final IntList leafDevices;
    private final boolean[] listed;
    /** By input of a split, the number of its first copy; the others follow. */
    private final int[] copyNumbers;
    /** By input of a split, the number of the view that keeps its source alive. */
    private final int[] keeperNumbers;

    /** By input of the graph, the number of its first spare place; the others follow. */
    private final int[] spareNumbers;

    private final PlanRequest request;
    private final int[] ids;

    PlannedGraph(Draft draft) {
        this.draft = draft;
        this.graph = draft.request().graph();
        this.splitting = draft.splitting();
        this.assembly = GraphAssembly.over(graph, 2 * splitting.inputCount() + 16);
        this.nodeDevices = new IntList(graph.nodeCount() + 2 * splitting.inputCount() + graph.leafCount() + 16);
        this.leafDevices = new IntList(graph.leafCount() + 16);
        this.listed = new boolean[graph.size()];
        this.copyNumbers = new int[splitting.inputCount()];
        this.keeperNumbers = new int[splitting.inputCount()];
        this.spareNumbers = new int[splitting.graphInputCount()];
        listSlottedInputs();
        listSplitInputCopies();
        listNodes();
        listLeaves();
        GraphPart assembled = assembly.assemble();
        this.ids = assembled.ids();
        nodeDevices.addAll(leafDevices.toArray(), 0, leafDevices.size());
        this.request = PlanRequest.of(
                assembled.graph(),
                draft.request().devices().bufferTypes(),
                nodeDevices.toArray(),
                fixed(assembled.graph().size()));
    }

    /** By id here, whether a tensor is a weight or has memory of its own, known from when it was assigned. */
    private boolean[] fixed(int count) {
        boolean[] fixed = new boolean[count];
        for (int id = 0; id < graph.size(); id++) {
            if (ids[id] != Graph.NO_ID) {
                fixed[ids[id]] =
                        draft.assignment().isPlaced(id) || graph.isWeight(id) || graph.isWeight(graph.root(id));
            }
        }
        for (int input = 0; input < splitting.inputCount(); input++) {
            fixed[ids[keeperNumbers[input]]] = fixed[ids[splitting.input(input).source()]];
        }
        return fixed;
    }

    /** The plan request: the results of each device in its own buffer type. */
    PlanRequest request() {
        return request;
    }

    Graph graph() {
        return request.graph();
    }

    Graph callersGraph() {
        return graph;
    }

    /** The id here of a tensor of the caller's graph. */
    int idOf(int callersId) {
        return ids[callersId];
    }

    /** Whether a tensor had memory of its own when this graph was made. */
    boolean hasOwnMemory(int id) {
        return request.isFixed(id);
    }

    /** A tensor of the caller's graph, whose id here is given, with its memory. */
    BoundTensor at(BoundGraph memory, Tensor tensor, int id) {
        return hasOwnMemory(id) ? BoundTensor.of(tensor) : BoundTensor.at(tensor, memory.buffer(id), memory.offset(id));
    }

    /** The id of the copy of a split input in a slot. */
    int copyId(int input, int slot) {
        boolean isOne = draft.copies().input(input).copies().size() == 1;
        return ids[copyNumbers[input] + (isOne ? 0 : slot)];
    }

    /** The id of the place of a graph input in a slot other than the first. */
    int spareId(int graphInput, int slot) {
        return ids[spareNumbers[graphInput] + slot - 1];
    }

    /** By id here, the id in the caller's graph; {@link Graph#NO_ID} for what was added. */
    int[] callersIds() {
        int[] callers = new int[graph().size()];
        Arrays.fill(callers, Graph.NO_ID);
        for (int id = 0; id < graph.size(); id++) {
            if (ids[id] != Graph.NO_ID) {
                callers[ids[id]] = id;
            }
        }
        return callers;
    }

    /** The graph of each split in a pipeline slot, sliced from this one and wired to the copies of the slot. */
    List<GraphPart> runGraphs(int slot) {
        int[] starts = new int[splitting.count()];
        int[] ends = new int[splitting.count()];
        int next = 0;
        for (int split = 0; split < starts.length; split++) {
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                next += draft.copies().input(input).copies().size() == 1 ? 2 : 1;
            }
            starts[split] = next;
            next += splitting.endNode(split) - splitting.firstNode(split);
            ends[split] = next;
        }
        return slot == 0
                ? GraphSlicer.slices(graph(), starts, ends)
                : GraphSlicer.slices(graph(), starts, ends, copiesOf(slot));
    }

    private int[] copiesOf(int slot) {
        int[] instead = new int[graph().size()];
        Arrays.setAll(instead, id -> id);
        for (int input = 0; input < splitting.inputCount(); input++) {
            instead[copyId(input, 0)] = copyId(input, slot);
        }
        return instead;
    }

    /** Lists graph inputs with a place per slot first, each with its spare places, which are never shared. */
    private void listSlottedInputs() {
        for (int index = 0; index < splitting.graphInputCount(); index++) {
            Tensor[] spares = draft.copies().spares(index);
            if (spares.length == 0) {
                continue;
            }
            int id = splitting.graphInput(index);
            int device = draft.assignment().device(id);
            assembly.markOutput(id);
            if (!graph.isNode(id)) {
                listed[id] = true;
                addLeaf(id, device);
            }
            for (int spare = 0; spare < spares.length; spare++) {
                int number = assembly.add(spares[spare]);
                spareNumbers[index] = spare == 0 ? number : spareNumbers[index];
                addLeaf(number, device);
            }
        }
    }

    private void listSplitInputCopies() {
        for (int input = 0; input < copyNumbers.length; input++) {
            SplitInput copied = draft.copies().input(input);
            List<Tensor> all = copied.copies();
            copyNumbers[input] = assembly.add(all.getFirst());
            if (all.size() > 1) {
                addLeaf(copyNumbers[input], copied.to());
                for (int copy = 1; copy < all.size(); copy++) {
                    addLeaf(assembly.add(all.get(copy)), copied.to());
                }
            }
        }
        for (int index = 0; index < splitting.rewiredCount(); index++) {
            assembly.wire(splitting.rewiredSlot(index), copyNumbers[splitting.rewiredInput(index)]);
        }
    }

    private void listNodes() {
        int[] order = draft.order();
        for (int split = 0; split < splitting.count(); split++) {
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                listInput(input);
            }
            int end = splitting.endNode(split);
            if (order.length == 0) {
                assembly.addNodes(splitting.firstNode(split), end);
            } else {
                assembly.addNodes(order, splitting.firstNode(split), end);
            }
            for (int index = splitting.firstNode(split); index < end; index++) {
                nodeDevices.add(draft.assignment().device(PreferredOrder.node(order, index)));
            }
        }
        // A result must not overwrite an operand in memory that one of its readers does not reach.
        for (int index = 0; index < draft.apart().size(); index++) {
            assembly.forbidInPlace(draft.apart().get(index));
        }
    }

    private void listInput(int input) {
        SplitInput copied = draft.copies().input(input);
        Tensor source = copied.source();
        Tensor keeper = Tensor.builder(source.layout())
                .viewOf(source, 0)
                .sourceAt(0, source)
                .build();
        keeperNumbers[input] = assembly.addView(keeper, splitting.input(input).source());
        assembly.addNode(keeperNumbers[input]);
        nodeDevices.add(copied.from());
        if (copied.copies().size() == 1) {
            assembly.addNode(copyNumbers[input]);
            nodeDevices.add(copied.to());
        }
    }

    private void listLeaves() {
        for (int id = graph.nodeCount(); id < graph.nodeCount() + graph.leafCount(); id++) {
            if (!listed[id]) {
                addLeaf(id, draft.assignment().device(id));
            }
        }
    }

    private void addLeaf(int number, int device) {
        assembly.addLeaf(number);
        leafDevices.add(device);
    }
}
