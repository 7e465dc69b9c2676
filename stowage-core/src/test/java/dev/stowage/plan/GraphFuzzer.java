package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphAssembly;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Requests to plan random graphs, the same for the same seed, dense in what makes planning hard: few layouts, so that
 * many results could be computed in place; views of views, and views that are leaves; results written into tensors and
 * views that are there; casts that are sources of themselves; inputs, weights and outputs of every kind; results that
 * must be computed apart; operands that are brought over as a scheduler does it, with a view that keeps the original until
 * then; several kinds of memory, some listed twice, with alignments, chunk limits and odd sizes.
 */
final class GraphFuzzer {

    private static final Op[] IN_PLACE = {Op.ADD, Op.MUL, Op.SCALE, Op.UNARY, Op.SOFT_MAX, Op.ROPE, Op.FILL};
    private static final Op[] KERNELS_IN_PLACE = {Op.CONT, Op.GLU, Op.NORM, Op.SOLVE_TRI, Op.SIN};
    private static final Op[] PLAIN = {Op.MUL_MAT, Op.CONCAT, Op.SUM_ROWS, Op.GET_ROWS, Op.CUSTOM};
    private static final Op[] VIEWS = {Op.VIEW, Op.RESHAPE, Op.PERMUTE, Op.TRANSPOSE};
    private static final Op[] WRITERS = {Op.CPY, Op.SET_ROWS, Op.SET, Op.ADD, Op.SCALE};

    private final Random random;
    private final List<Layout> layouts = new ArrayList<>();
    private final List<Tensor> nodes = new ArrayList<>();
    private final List<Tensor> leaves = new ArrayList<>();
    private final List<Tensor> readable = new ArrayList<>();

    private GraphFuzzer(long seed) {
        this.random = new Random(seed);
    }

    /** The request of that seed. */
    static PlanRequest request(long seed) {
        GraphFuzzer fuzzer = new GraphFuzzer(seed);
        return fuzzer.request(fuzzer.assembled(fuzzer.listed()));
    }

    private Graph listed() {
        int kinds = 1 + random.nextInt(4);
        for (int i = 0; i < kinds; i++) {
            layouts.add(layout());
        }
        int leafCount = 1 + random.nextInt(5);
        for (int i = 0; i < leafCount; i++) {
            addLeaf();
        }
        int nodeCount = 1 + random.nextInt(20);
        for (int i = 0; i < nodeCount; i++) {
            addNode();
        }
        if (!nodes.isEmpty() && random.nextBoolean()) {
            nodes.getLast().asOutput();
        }
        return Graph.listed(nodes, leaves);
    }

    private Layout layout() {
        return switch (random.nextInt(10)) {
            case 0 -> Layout.contiguous(ElementType.F32, 0);
            case 1 -> Layout.contiguous(ElementType.F16, 1 + random.nextInt(40), 1 + random.nextInt(3));
            case 2 -> Layout.contiguous(ElementType.Q8_0, 32L * (1 + random.nextInt(2)));
            default -> Layout.contiguous(ElementType.F32, 1 + random.nextInt(48));
        };
    }

    private void addLeaf() {
        Tensor leaf = Tensor.leaf(any(layouts));
        boolean isListed = true;
        switch (random.nextInt(8)) {
            case 0 -> isListed = leaf.asWeight().isWeight() && random.nextBoolean();
            case 1, 2, 3 -> leaf.asInput();
            default -> {}
        }
        if (isListed) {
            leaves.add(mark(leaf, 16));
        }
        readable.add(leaf);
    }

    private void addNode() {
        Tensor node = switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4, 5 -> result(any(IN_PLACE), layoutOfOne());
            case 6, 7, 8 -> result(any(KERNELS_IN_PLACE), layoutOfOne());
            case 9, 10 -> result(any(PLAIN), any(layouts));
            case 11 ->
                result(any(random.nextBoolean() ? PLAIN : IN_PLACE), layoutOfOne())
                        .asInput();
            case 12, 13, 14, 15, 16 -> view();
            case 17, 18 -> written();
            case 19 -> cast();
            case 20 -> keeper();
            case 21 -> Tensor.leaf(any(layouts));
            case 22 -> wholeView();
            default -> bareView();
        };
        boolean isKeeper = node.isLeaf() && node.sourceCount() > 0;
        boolean isBareView = node.isLeaf() && node.isView() && !isKeeper;
        (isBareView ? leaves : nodes).add(mark(node, 10));
        if (!isKeeper) {
            readable.add(node);
        }
    }

    private Tensor mark(Tensor tensor, int oneIn) {
        return random.nextInt(oneIn) == 0 ? tensor.asOutput() : tensor;
    }

    private Layout layoutOfOne() {
        return recent().layout();
    }

    /** A result of up to three operands, of which at least one has the layout of the result if one can be found. */
    private Tensor result(Op op, Layout layout) {
        Tensor.Builder builder = Tensor.builder(layout).op(op);
        int count = 1 + random.nextInt(3);
        int same = random.nextInt(count);
        for (int slot = 0; slot < count; slot++) {
            Tensor operand = recent();
            for (int tries = 0; slot == same && tries < 8 && !operand.layout().equals(layout); tries++) {
                operand = recent();
            }
            builder.sourceAt(slot, operand);
        }
        return builder.build();
    }

    private Tensor view() {
        Tensor source = recent();
        return part(source).op(any(VIEWS)).sources(source).build();
    }

    private Tensor wholeView() {
        Tensor source = recent();
        return Tensor.builder(source.layout())
                .op(Op.VIEW)
                .sources(source)
                .viewOf(source, 0)
                .build();
    }

    private Tensor bareView() {
        return part(recent()).build();
    }

    private Tensor.Builder part(Tensor source) {
        if (source.byteSize() == 0 || random.nextInt(3) == 0) {
            return Tensor.builder(source.layout()).viewOf(source, 0);
        }
        long from = random.nextInt(3) == 0 ? 0 : random.nextLong(source.byteSize());
        long bytes = random.nextLong(1, source.byteSize() - from + 1);
        return Tensor.builder(Layout.contiguous(ElementType.I8, bytes)).viewOf(source, from);
    }

    /** A result that goes into bytes that are there, and may leave some of them as they are. */
    private Tensor written() {
        Tensor target = recent();
        Tensor.Builder builder =
                Tensor.builder(target.layout()).op(any(WRITERS)).viewOf(target, 0);
        return (random.nextInt(3) == 0 ? builder.sources(recent()) : builder.sources(recent(), target)).build();
    }

    private Tensor cast() {
        return Tensor.builder(random.nextBoolean() ? layoutOfOne() : any(layouts))
                .op(Op.CPY)
                .sources(recent())
                .sourceItself(1)
                .build();
    }

    private Tensor keeper() {
        return keeper(recent());
    }

    private static Tensor keeper(Tensor kept) {
        return Tensor.builder(kept.layout()).sources(kept).viewOf(kept, 0).build();
    }

    /** The graph put together again as a scheduler does it: some results computed apart, some operands brought over. */
    private Graph assembled(Graph graph) {
        GraphAssembly assembly = GraphAssembly.over(graph);
        int oneApartIn = 2 + random.nextInt(5);
        boolean bringsOver = random.nextInt(3) == 0;
        for (int node = 0; node < graph.nodeCount(); node++) {
            int slots = graph.endSlot(node) - graph.firstSlot(node);
            if (bringsOver && slots > 0 && graph.isComputed(node) && random.nextInt(8) == 0) {
                bringOver(graph, assembly, graph.firstSlot(node) + random.nextInt(slots));
            }
            if (graph.isComputed(node) && random.nextInt(oneApartIn) == 0) {
                assembly.forbidInPlace(node);
            }
            if (random.nextInt(40) == 0) {
                assembly.markOutput(node);
            }
            assembly.addNode(node);
        }
        for (int leaf = 0; leaf < graph.leafCount(); leaf++) {
            assembly.addLeaf(graph.nodeCount() + leaf);
        }
        return assembly.build();
    }

    private void bringOver(Graph graph, GraphAssembly assembly, int slot) {
        int original = graph.sourceAt(slot);
        boolean isItself = slot >= graph.firstSlot(original) && slot < graph.endSlot(original);
        if (!isItself) {
            Tensor tensor = graph.tensor(original);
            int copy = assembly.add(Tensor.leaf(tensor.layout()));
            if (random.nextInt(3) == 0) {
                assembly.markInput(copy);
            }
            assembly.wire(slot, copy);
            assembly.addNode(assembly.addView(keeper(tensor), original));
            assembly.addNode(copy);
        }
    }

    private PlanRequest request(Graph graph) {
        List<BufferType> types = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            boolean again = i > 0 && random.nextInt(4) == 0;
            types.add(again ? any(types) : memory("memory " + i));
        }
        int[] nodeBuffers = random.ints(graph.nodeCount(), 0, count).toArray();
        int[] leafBuffers = random.ints(graph.leafCount(), 0, count).toArray();
        return PlanRequest.of(graph, types, nodeBuffers, leafBuffers);
    }

    private BufferType memory(String name) {
        long alignment = 1L << random.nextInt(7);
        long limit = random.nextInt(3) == 0 ? 40 + random.nextInt(600) : Long.MAX_VALUE;
        return switch (random.nextInt(4)) {
            case 0 -> new OpSizedMemory(name, alignment, limit, 1 + random.nextInt(64));
            case 1 ->
                MeasuringBufferType.of(name, alignment)
                        .withMaxBufferSize(limit)
                        .withSizeMultiple(1 + random.nextInt(80));
            default -> MeasuringBufferType.of(name, alignment).withMaxBufferSize(limit);
        };
    }

    /** A tensor that can be read, more likely one of the last. */
    private Tensor recent() {
        int back = random.nextInt(random.nextInt(3) == 0 ? readable.size() : Math.min(4, readable.size()));
        return readable.get(readable.size() - 1 - back);
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private Op any(Op[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}
