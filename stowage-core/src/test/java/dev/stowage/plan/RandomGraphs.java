package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random graphs, and random requests to plan them, the same for the same seed. The graphs mean nothing, but hold
 * everything a planner has to get right: results that may overwrite an operand, operands that others still read, the
 * same operand twice, results that are operands of themselves, gaps between operands, views, views of views, results
 * written into views, outputs that are views, inputs that are computed, empty tensors, weights, unread leaves and
 * unread nodes.
 *
 * <p>They are put together from raw tensors, so that the op functions of the graph builder need not be right for the
 * planner to be tested.
 */
public final class RandomGraphs {

    private static final Op[] IN_PLACE = {Op.ADD, Op.MUL, Op.SCALE, Op.UNARY, Op.RMS_NORM, Op.SOFT_MAX, Op.ROPE};
    private static final Op[] PLAIN = {Op.MUL_MAT, Op.CONT, Op.GET_ROWS, Op.CONCAT, Op.SUM_ROWS, Op.GLU, Op.NORM};
    private static final Op[] VIEWS = {Op.VIEW, Op.RESHAPE, Op.PERMUTE, Op.TRANSPOSE};
    private static final Op[] WRITERS = {Op.CPY, Op.SET_ROWS, Op.SET, Op.ADD, Op.SCALE};

    private final Random random;
    private final boolean odd;
    private final List<Layout> layouts = new ArrayList<>();
    private final List<Tensor> leaves = new ArrayList<>();
    private final List<Tensor> nodes = new ArrayList<>();
    private final List<Tensor> readable = new ArrayList<>();

    private RandomGraphs(long seed, boolean odd) {
        this.random = new Random(seed);
        this.odd = odd;
    }

    /** A graph of up to some fifty nodes. */
    public static Graph graph(long seed) {
        return new RandomGraphs(seed, false).build();
    }

    /**
     * A graph that may also hold what ggml plans wrongly: inputs that are computed by an op that can work in place, and
     * views without an op that are read like leaves. Such views do not lead back to the node they are views of, so these
     * graphs are always listed and never built from their roots.
     */
    public static Graph oddGraph(long seed) {
        return new RandomGraphs(seed, true).build();
    }

    /** A request to plan that graph in one to four kinds of memory, some of them small, odd, or listed twice. */
    public static PlanRequest request(Graph graph, long seed) {
        Random random = new Random(~seed);
        List<BufferType> types = new ArrayList<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            boolean again = i > 0 && random.nextInt(4) == 0;
            types.add(again ? types.get(random.nextInt(i)) : memory("memory " + i, random));
        }
        int[] nodeBuffers = random.ints(graph.nodeCount(), 0, count).toArray();
        int[] leafBuffers = random.ints(graph.leafCount(), 0, count).toArray();
        return PlanRequest.of(graph, types, nodeBuffers, leafBuffers);
    }

    private static BufferType memory(String name, Random random) {
        long alignment = 1L << random.nextInt(8);
        long limit = switch (random.nextInt(4)) {
            case 0 -> 64 + random.nextInt(200);
            case 1 -> 500 + random.nextInt(2000);
            default -> Long.MAX_VALUE;
        };
        return switch (random.nextInt(3)) {
            case 0 -> new OpSizedMemory(name, alignment, limit, 1 + random.nextInt(100));
            case 1 ->
                MeasuringBufferType.of(name, alignment)
                        .withMaxBufferSize(limit)
                        .withSizeMultiple(1 + random.nextInt(96));
            default -> MeasuringBufferType.of(name, alignment).withMaxBufferSize(limit);
        };
    }

    private Graph build() {
        int kinds = 2 + random.nextInt(5);
        for (int i = 0; i < kinds; i++) {
            layouts.add(layout());
        }
        int leafCount = 1 + random.nextInt(8);
        for (int i = 0; i < leafCount; i++) {
            addLeaf(i);
        }
        int nodeCount = 1 + random.nextInt(50);
        for (int i = 0; i < nodeCount; i++) {
            addNode(i);
        }
        return odd || random.nextBoolean() ? listed() : reached();
    }

    /** All tensors, in the order they were made. */
    private Graph listed() {
        return Graph.listed(nodes, leaves);
    }

    /** What a few of the last nodes depend on, in build order. */
    private Graph reached() {
        List<Tensor> roots = new ArrayList<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            roots.add(recent(nodes.stream().filter(node -> !node.isLeaf()).toList(), leaves));
        }
        roots.forEach(root -> mark(root, 1, 2));
        return Graph.of(roots);
    }

    private void addLeaf(int number) {
        Tensor leaf = Tensor.leaf(any(layouts)).named("leaf" + number);
        mark(leaf, 1, 20);
        switch (random.nextInt(5)) {
            case 0 -> leaf.asWeight();
            case 1, 2 -> leaf.asInput();
            default -> {}
        }
        leaves.add(leaf);
        readable.add(leaf);
    }

    private void addNode(int number) {
        Tensor node = switch (random.nextInt(odd ? 23 : 21)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> inPlaceNode();
            case 9, 10, 11, 12 -> plainNode();
            case 13, 14, 15, 16 -> viewNode();
            case 17, 18 -> writerNode();
            case 19 -> keeperNode();
            case 20 -> castNode();
            case 21 -> inPlaceNode().asInput();
            default -> bareView();
        };
        mark(node.named("node" + number), 1, 12);
        boolean isKeeper = node.isLeaf() && node.sourceCount() > 0;
        if (!isKeeper) {
            readable.add(node);
        }
        (node.isLeaf() && !isKeeper ? leaves : nodes).add(node);
    }

    private Tensor inPlaceNode() {
        Tensor first = recent(readable, leaves);
        Layout layout = random.nextInt(8) == 0 ? any(layouts) : first.layout();
        return operands(Tensor.builder(layout).op(any(IN_PLACE)), first).build();
    }

    private Tensor plainNode() {
        Tensor node = operands(Tensor.builder(any(layouts)).op(any(PLAIN)), recent(readable, leaves))
                .build();
        return random.nextInt(8) == 0 ? node.asInput() : node;
    }

    private Tensor viewNode() {
        Tensor source = recent(readable, leaves);
        return partOf(source).op(any(VIEWS)).sources(source).build();
    }

    /** A result that is written into a tensor that is there, as by a copy into a cache. */
    private Tensor writerNode() {
        Tensor target = recent(readable, leaves);
        Tensor.Builder builder =
                Tensor.builder(target.layout()).op(any(WRITERS)).viewOf(target, 0);
        return builder.sources(recent(readable, leaves), target).build();
    }

    /** A result that is an operand of itself, as that of a cast. */
    private Tensor castNode() {
        return Tensor.builder(any(layouts))
                .op(Op.CPY)
                .sources(recent(readable, leaves))
                .sourceItself(1)
                .build();
    }

    /** What a scheduler puts into a graph to keep a tensor until then: a view without an op that no node reads. */
    private Tensor keeperNode() {
        Tensor kept = recent(readable, leaves);
        return Tensor.builder(kept.layout()).sources(kept).viewOf(kept, 0).build();
    }

    private Tensor bareView() {
        return partOf(recent(readable, leaves)).build();
    }

    private Tensor.Builder partOf(Tensor source) {
        long bytes = source.byteSize();
        if (random.nextBoolean() || bytes == 0) {
            return Tensor.builder(source.layout()).viewOf(source, 0);
        }
        long offset = random.nextLong(bytes);
        long length = random.nextLong(random.nextInt(10) == 0 ? 0 : 1, bytes - offset + 1);
        return Tensor.builder(Layout.contiguous(ElementType.I8, length)).viewOf(source, offset);
    }

    /** One to four operands, perhaps the same one twice, perhaps with a gap. */
    private Tensor.Builder operands(Tensor.Builder builder, Tensor first) {
        builder.sourceAt(0, first);
        int more = random.nextInt(4);
        int slot = random.nextInt(10) == 0 ? 2 : 1;
        for (int i = 0; i < more; i++) {
            builder.sourceAt(slot++, random.nextInt(8) == 0 ? first : recent(readable, leaves));
        }
        return builder;
    }

    private void mark(Tensor tensor, int chances, int outOf) {
        if (random.nextInt(outOf) < chances) {
            tensor.asOutput();
        }
    }

    private Layout layout() {
        return switch (random.nextInt(12)) {
            case 0 -> Layout.contiguous(ElementType.F32, 0);
            case 1 -> Layout.contiguous(ElementType.F32, 8, 0, 2);
            case 2 -> Layout.contiguous(ElementType.Q8_0, 32L * (1 + random.nextInt(3)), 2);
            case 3 -> Layout.contiguous(ElementType.F16, 1 + random.nextInt(64));
            case 4 -> Layout.strided(ElementType.F32, new Shape(4, 8, 1, 1), new Strides(32, 4, 128, 128));
            default -> Layout.contiguous(ElementType.F32, 1 + random.nextInt(100));
        };
    }

    /** One of them, more likely one of the last. */
    private Tensor recent(List<Tensor> tensors, List<Tensor> otherwise) {
        if (tensors.isEmpty()) {
            return any(otherwise);
        }
        int back =
                random.nextInt(4) == 0 ? random.nextInt(tensors.size()) : random.nextInt(Math.min(6, tensors.size()));
        return tensors.get(tensors.size() - 1 - back);
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private Op any(Op[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}
