package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphAssembly;
import dev.stowage.internal.IntList;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule on its way: everything but the memory plan. Makes the graph that is planned, in which every input of a split
 * shows up before the nodes of the split, and the graphs that are run, in which nodes read copies.
 *
 * <pre>
 *   planned:   [keep x] [x']  n4 n5  [keep y] [y']  n6 ...     leaves: copies for runs in flight, then the graph's
 *               split 1               split 2
 * </pre>
 *
 * <p>"Keep x" is a view of x without an op: it makes x live until it has been copied.
 */
final class Draft {

    private final ScheduleRequest request;
    private final Graph graph;
    private final Assignment assignment;
    private final Splitting splitting;
    private final Hazards hazards;
    private final Copies copies;
    private final InputWaits inputWaits;
    /** The nodes that may not be computed in the place of an operand. */
    private final IntList apart;
    /** The nodes in the order they run, where a device likes another than the graph's within its split. */
    private final int[] order;

    private final @Nullable PredictedGain gain;

    private Draft(ScheduleRequest request, Board board, @Nullable PredictedGain gain) {
        this.request = request;
        this.graph = request.graph();
        this.assignment = board.assignment();
        this.splitting = SplitPass.run(board, request.options().copies() > 1);
        this.hazards = Hazards.of(board);
        this.copies = Copies.of(board, splitting, hazards, request.options());
        this.inputWaits = InputWaits.of(
                board, splitting, hazards, copies, request.options().copies());
        this.apart = apart(board);
        this.gain = gain;
        this.order = new int[graph.nodeCount()];
        for (int node = 0; node < order.length; node++) {
            order[node] = node;
        }
    }

    static Draft of(ScheduleRequest request) {
        Board board = request.board();
        return switch (request.options().placement()) {
            case GgmlPlacement _ -> {
                GgmlPlacement.place(board, request.options().offloadsOps());
                yield new Draft(request, board, null);
            }
            case CostPlacement cost -> {
                PredictedGain gain = cost.place(request, board);
                yield new Draft(request, board, gain);
            }
        };
    }

    /** What becomes of the devices that a board says. */
    static Draft of(ScheduleRequest request, Board board) {
        return new Draft(request, board, null);
    }

    private Draft(Draft draft, Graph twin) {
        this.request = draft.request.forGraph(twin);
        this.graph = twin;
        this.assignment = draft.assignment.forTwin(twin);
        this.splitting = draft.splitting;
        this.hazards = draft.hazards;
        this.copies = draft.copies.forTwin(twin, splitting);
        this.inputWaits = draft.inputWaits;
        this.apart = draft.apart;
        this.gain = draft.gain;
        this.order = draft.order;
    }

    /** The same for a graph that is put together alike. */
    Draft forTwin(Graph twin) {
        return new Draft(this, twin);
    }

    private static IntList apart(Board board) {
        IntList apart = new IntList(4);
        Graph graph = board.graph();
        boolean isEachForItself = board.isEachForItself();
        for (int id = 0; id < graph.nodeCount() && !isEachForItself; id++) {
            if (graph.isComputed(id) && !graph.isViewOp(id) && readsWhereReadersDoNot(board, id)) {
                apart.add(id);
            }
        }
        return apart;
    }

    private static boolean readsWhereReadersDoNot(Board board, int id) {
        Graph graph = board.graph();
        int device = board.device(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID
                    && !board.worksIn(device, source)
                    && board.reaches(source, device)
                    && !board.readersReach(device, source)) {
                return true;
            }
        }
        return false;
    }

    /** What was predicted to be gained, where time was what decided. */
    Optional<PredictedGain> gain() {
        return Optional.ofNullable(gain);
    }

    /** What a run would take by these costs. */
    Prediction predict(CostModel model) {
        Board board = request.board();
        for (int id = 0; id < graph.size(); id++) {
            board.move(id, assignment.device(id));
        }
        CostSheet sheet = new CostSheet(graph, request.devices(), model);
        return new DryRun(board, sheet, request.options().copies()).predict(splitting, hazards, inputWaits);
    }

    ScheduleRequest request() {
        return request;
    }

    Assignment assignment() {
        return assignment;
    }

    Splitting splitting() {
        return splitting;
    }

    Hazards hazards() {
        return hazards;
    }

    Copies copies() {
        return copies;
    }

    InputWaits inputWaits() {
        return inputWaits;
    }

    /**
     * The graph of each split as run number {@code turn} of those in flight runs it, out of the graph that is planned.
     * There every node reads the first of several copies; here it reads the one whose turn it is.
     */
    List<Graph> runGraphs(Graph planned, int turn) {
        int[] starts = new int[splitting.count()];
        int[] ends = new int[splitting.count()];
        int next = 0;
        for (int split = 0; split < starts.length; split++) {
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                next += copies.input(input).copies().size() == 1 ? 2 : 1;
            }
            starts[split] = next;
            next += splitting.endNode(split) - splitting.firstNode(split);
            ends[split] = next;
        }
        return turn == 0 ? planned.slices(starts, ends) : planned.slices(starts, ends, copiesInTurn(planned, turn));
    }

    private int[] copiesInTurn(Graph planned, int turn) {
        int[] instead = new int[planned.size()];
        Arrays.setAll(instead, id -> id);
        for (int input = 0; input < splitting.inputCount(); input++) {
            SplitInput crossing = copies.input(input);
            instead[planned.idOf(crossing.copy(0))] = planned.idOf(crossing.copy(turn));
        }
        return instead;
    }

    /** Has the nodes of a split run in another order; {@code localOrder} counts within the split. */
    void reorder(int split, int[] localOrder) {
        int first = splitting.firstNode(split);
        int[] before = Arrays.copyOfRange(order, first, splitting.endNode(split));
        for (int i = 0; i < localOrder.length; i++) {
            order[first + i] = before[localOrder[i]];
        }
    }

    private void rewire(GraphAssembly assembly, int[] numbers) {
        for (int index = 0; index < splitting.rewiredCount(); index++) {
            assembly.wire(splitting.rewiredSlot(index), numbers[splitting.rewiredInput(index)]);
        }
    }

    /** What is to be planned: each device's results in its own kind of memory. */
    PlanRequest planRequest() {
        return new Planned().request();
    }

    /** What keeps a tensor alive until it has been copied: a view of it without an op. */
    static Tensor keeper(Tensor source) {
        return Tensor.builder(source.layout()).viewOf(source, 0).sources(source).build();
    }

    /** The schedule, with the plan that serves it. */
    Schedule with(MemoryPlan plan) {
        return new Schedule(this, plan);
    }

    /** Puts the graph together that is planned. */
    private final class Planned {

        private final GraphAssembly assembly = GraphAssembly.over(graph);
        private final IntList nodeDevices = new IntList(graph.nodeCount() + 2 * splitting.inputCount());
        private final IntList leafDevices = new IntList(graph.leafCount() + 16);
        private final boolean[] listed = new boolean[graph.size()];
        private final int[] numbers = new int[splitting.inputCount()];

        PlanRequest request() {
            listTurningInputs();
            listSplitInputCopies();
            for (int split = 0; split < splitting.count(); split++) {
                for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                    listInput(input);
                }
                int end = splitting.endNode(split);
                assembly.addNodes(order, splitting.firstNode(split), end);
                for (int node = splitting.firstNode(split); node < end; node++) {
                    nodeDevices.add(assignment.device(order[node]));
                }
            }
            rewire(assembly, numbers);
            keepApart();
            for (int id = graph.nodeCount(); id < graph.nodeCount() + graph.leafCount(); id++) {
                if (!listed[id]) {
                    addLeaf(id, assignment.device(id));
                }
            }
            return PlanRequest.of(
                    assembly.build(),
                    Draft.this.request.devices().bufferTypes(),
                    nodeDevices.toArray(),
                    leafDevices.toArray());
        }

        /** A result must not take the place of an operand in other memory that one of its readers does not reach. */
        private void keepApart() {
            for (int index = 0; index < apart.size(); index++) {
                assembly.markComputedApart(apart.get(index));
            }
        }

        /** Inputs of the graph that take places in turn come first, each with its spare places, and never share them. */
        private void listTurningInputs() {
            for (int index = 0; index < splitting.graphInputCount(); index++) {
                Tensor[] spares = copies.spares(index);
                if (spares.length == 0) {
                    continue;
                }
                int id = splitting.graphInput(index);
                assembly.markOutput(id);
                if (!graph.isNode(id)) {
                    listed[id] = true;
                    addLeaf(id, assignment.device(id));
                }
                for (Tensor spare : spares) {
                    addLeaf(assembly.add(spare), assignment.device(id));
                }
            }
        }

        private void listSplitInputCopies() {
            for (int input = 0; input < numbers.length; input++) {
                SplitInput crossing = copies.input(input);
                List<Tensor> all = crossing.copies();
                numbers[input] = assembly.add(all.getFirst());
                if (all.size() > 1) {
                    addLeaf(numbers[input], crossing.to());
                    for (int copy = 1; copy < all.size(); copy++) {
                        addLeaf(assembly.add(all.get(copy)), crossing.to());
                    }
                }
            }
        }

        private void addLeaf(int number, int device) {
            assembly.addLeaf(number);
            leafDevices.add(device);
        }

        private void listInput(int input) {
            SplitInput crossing = copies.input(input);
            assembly.addNode(assembly.addView(keeper(crossing.source()), splitting.inputSource(input)));
            nodeDevices.add(crossing.from());
            if (crossing.copies().size() == 1) {
                assembly.addNode(numbers[input]);
                nodeDevices.add(crossing.to());
            }
        }
    }
}
