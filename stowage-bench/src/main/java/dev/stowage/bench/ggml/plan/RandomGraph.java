package dev.stowage.bench.ggml.plan;

import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * One random graph, made of bare tensors: only who reads and views whom, what is marked, and how many bytes there are
 * matters to a planner, so ops get operands that no op function would take.
 */
final class RandomGraph {

    private static final int MOST_NODES = 120;
    private static final int MOST_LEAVES = 12;

    private static final List<Op> VIEWS =
            Arrays.stream(Op.values()).filter(Op::isViewOp).toList();

    private final SplittableRandom random;
    private final List<Op> inPlaceOps;
    private final List<Op> otherOps;
    private final List<Tensor> leaves = new ArrayList<>();
    private final List<Tensor> nodes = new ArrayList<>();
    private final List<Tensor> all = new ArrayList<>();

    /** Sizes to draw from: few of them, so that results fit into holes and over operands exactly. */
    private final long[] sizes;

    /** Whether there are marks and views in places where no op function puts them. */
    private final boolean isOdd;

    private final int chainBias;
    private final int viewBias;
    private final int markBias;

    /** A graph of the ops that are allowed. */
    RandomGraph(SplittableRandom random, Predicate<Op> allowed) {
        this.random = random;
        List<Op> ops = Arrays.stream(Op.values())
                .filter(op -> op != Op.NONE && !op.isViewOp())
                .filter(allowed)
                .toList();
        this.inPlaceOps = ops.stream().filter(Op::canWorkInPlace).toList();
        this.otherOps = ops.stream().filter(op -> !op.canWorkInPlace()).toList();
        this.sizes = new long[random.nextInt(2, 7)];
        long most = 1L << random.nextInt(2, 13);
        this.isOdd = random.nextInt(5) == 0;
        for (int i = 0; i < sizes.length; i++) {
            // In an odd graph ggml's chunks are not those of our plan, and one without a byte would not be seen.
            sizes[i] = !isOdd && random.nextInt(12) == 0 ? 0 : random.nextLong(1, most + 1);
        }
        this.chainBias = random.nextInt(1, 6);
        this.viewBias = random.nextInt(2, 8);
        this.markBias = random.nextInt(3, 20);
        int leafCount = random.nextInt(1, MOST_LEAVES);
        int nodeCount = random.nextInt(1, MOST_NODES);
        for (int i = 0; i < leafCount; i++) {
            addLeaf(i);
        }
        for (int i = 0; i < nodeCount; i++) {
            addNode(i);
        }
    }

    private void addLeaf(int index) {
        boolean isView = isOdd && index > 0 && random.nextInt(10) == 0;
        Tensor leaf = isView
                ? viewOf(Op.NONE, any()).name("leaf" + index).build()
                : Tensor.builder(layout()).name("leaf" + index).build();
        mark(leaf);
        if (random.nextInt(4) == 0) {
            leaf.asWeight();
        }
        leaves.add(leaf);
        all.add(leaf);
    }

    private void addNode(int index) {
        Tensor node = begin().name("node" + index).build();
        mark(node);
        nodes.add(node);
        if (isOdd || !node.isView() || !node.isLeaf()) {
            all.add(node);
        }
    }

    private Tensor.Builder begin() {
        if (random.nextInt(viewBias) == 0) {
            Tensor source = any();
            return viewOf(oneOf(VIEWS), source).sources(source);
        }
        return switch (random.nextInt(24)) {
            // A copy into another tensor, and a result that overwrites its operand by being a view of it.
            case 0 -> {
                Tensor target = any();
                yield Tensor.builder(target.layout())
                        .op(Op.CPY)
                        .viewOf(target, 0)
                        .sources(any(), target);
            }
            case 1 -> {
                Tensor operand = any();
                yield Tensor.builder(operand.layout())
                        .op(oneOf(inPlaceOps))
                        .viewOf(operand, 0)
                        .sources(operand, any());
            }
            // A cast.
            case 4 -> Tensor.builder(layout()).op(Op.CPY).sources(any()).sourceItself(1);
            // What a scheduler puts into a list of nodes: a tensor nothing computes, and a view that only keeps alive.
            case 2 -> Tensor.builder(layout());
            case 3 -> {
                Tensor kept = any();
                yield viewOf(Op.NONE, kept).sources(kept);
            }
            default -> computed();
        };
    }

    private Tensor.Builder computed() {
        Tensor first = random.nextInt(3) == 0 ? all.getLast() : any();
        boolean alike = random.nextInt(3) != 0;
        Tensor.Builder node = Tensor.builder(alike ? first.layout() : layout())
                .op(oneOf(random.nextInt(3) != 0 ? inPlaceOps : otherOps));
        int slots = random.nextInt(8) == 0 ? random.nextInt(GgmlTensor.MAX_SOURCES) : random.nextInt(1, 4);
        int place = slots == 0 ? 0 : random.nextInt(slots);
        for (int slot = 0; slot < slots; slot++) {
            if (slot == place) {
                node.sourceAt(slot, first);
            } else if (random.nextInt(6) != 0) {
                node.sourceAt(slot, random.nextInt(8) == 0 ? first : any());
            }
        }
        return node;
    }

    /** A view of a part of a tensor or of all of it. */
    private Tensor.Builder viewOf(Op op, Tensor source) {
        if (source.byteSize() == 0 || source.type().isQuantized() || random.nextInt(3) == 0) {
            return Tensor.builder(source.layout()).op(op).viewOf(source, 0);
        }
        long element = source.type().bytesPerBlock();
        long elements = source.byteSize() / element;
        long start = random.nextBoolean() ? 0 : random.nextLong(elements);
        long length = !isOdd && random.nextInt(20) == 0 ? 0 : random.nextLong(1, elements - start + 1);
        return Tensor.builder(Layout.contiguous(source.type(), length)).op(op).viewOf(source, start * element);
    }

    private Layout layout() {
        long bytes = sizes[random.nextInt(sizes.length)];
        ElementType type = oneOf(List.of(ElementType.F32, ElementType.F32, ElementType.F16, ElementType.Q8_0));
        long elements = Math.ceilDiv(bytes, type.bytesPerBlock()) * type.blockSize();
        if (elements > 0 && !type.isQuantized() && random.nextInt(12) == 0) {
            long element = type.bytesPerBlock();
            // Every second element: the bytes spanned are more than the bytes used.
            return Layout.strided(
                    type,
                    Shape.of(elements),
                    new Strides(2 * element, 2 * element * elements, 2 * element * elements, 2 * element * elements));
        }
        return Layout.contiguous(type, elements);
    }

    private void mark(Tensor tensor) {
        if (random.nextInt(markBias) == 0 && (isOdd || !tensor.op().canWorkInPlace())) {
            tensor.asInput();
        }
        if (random.nextInt(markBias) == 0) {
            tensor.asOutput();
        }
        if (!tensor.isLeaf() && random.nextInt(60) == 0) {
            tensor.asWeight();
        }
    }

    /** A tensor made before, more often one of the last. */
    private Tensor any() {
        int reach = random.nextInt(chainBias) == 0 ? all.size() : Math.min(all.size(), 1 + random.nextInt(8));
        return all.get(all.size() - 1 - random.nextInt(reach));
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** As a caller builds it from its results, as a list of nodes, or as a part of one. */
    Graph graph() {
        if (random.nextInt(3) == 0) {
            List<Tensor> roots = new ArrayList<>();
            for (int i = random.nextInt(1, 5); i > 0; i--) {
                roots.add(oneOf(nodes));
            }
            Graph graph = Graph.of(roots);
            if (fitsHashTable(graph) && (isOdd || !graph.hasViewsAsLeaves())) {
                return graph;
            }
        }
        List<Tensor> shuffled = new ArrayList<>(leaves);
        Collections.shuffle(shuffled, new Random(random.nextLong()));
        Graph listed = Graph.listed(nodes, shuffled);
        if (random.nextInt(4) != 0) {
            return listed;
        }
        int from = random.nextInt(nodes.size());
        Graph slice = listed.slice(from, random.nextInt(from + 1, nodes.size() + 1));
        return fitsHashTable(slice) && (isOdd || !slice.hasViewsAsLeaves()) ? slice : listed;
    }

    /** ggml looks tensors up in a table made for the nodes and leaves, with room for a quarter more. */
    private static boolean fitsHashTable(Graph graph) {
        int listed = graph.nodeCount() + graph.leafCount();
        return graph.size() <= listed + listed / 4;
    }
}
