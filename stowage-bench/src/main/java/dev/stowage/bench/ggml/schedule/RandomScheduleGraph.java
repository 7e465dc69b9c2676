package dev.stowage.bench.ggml.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One random graph for schedulers: inputs, weights and other leaves, chains and branches of few kinds of ops, views, and
 * results that are written into other tensors. Who computes what depends on ops, marks and memory alone, so operands
 * need not make sense.
 */
final class RandomScheduleGraph {

    private static final int MOST_NODES = 60;
    private static final int MOST_LEAVES = 14;

    private static final List<Op> VIEWS = List.of(Op.VIEW, Op.RESHAPE, Op.PERMUTE, Op.TRANSPOSE);

    private final SplittableRandom random;
    private final List<Op> ops;
    private final List<Tensor> leaves = new ArrayList<>();
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Tensor> nodes = new ArrayList<>();
    private final List<Tensor> all = new ArrayList<>();
    private final int viewBias;
    private final int weightBias;
    private final int reach;

    private final boolean isPlain;

    /** A graph of those ops; in a plain one nothing is written into other tensors. */
    RandomScheduleGraph(SplittableRandom random, List<Op> ops, boolean isPlain) {
        this.random = random;
        this.ops = ops;
        this.isPlain = isPlain;
        this.viewBias = random.nextInt(2, 9);
        this.weightBias = random.nextInt(1, 5);
        this.reach = random.nextInt(1, 10);
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
        Tensor leaf = Tensor.builder(layout()).name("leaf" + index).build();
        switch (random.nextInt(4)) {
            case 0 -> leaf.asInput();
            case 1, 2 -> weights.add(leaf);
            default -> {
                // An ordinary tensor that the caller has not said anything about.
            }
        }
        leaves.add(leaf);
        all.add(leaf);
    }

    private void addNode(int index) {
        Tensor node = begin().name("node" + index).build();
        if (random.nextInt(12) == 0) {
            node.asOutput();
        }
        if (!isPlain && random.nextInt(60) == 0 && !node.op().canWorkInPlace()) {
            node.asInput();
        }
        nodes.add(node);
        all.add(node);
    }

    private Tensor.Builder begin() {
        if (random.nextInt(viewBias) == 0) {
            Tensor source = any();
            return viewOf(source).op(VIEWS.get(random.nextInt(VIEWS.size()))).sources(source);
        }
        if (!isPlain && random.nextInt(14) == 0) {
            // A result that is written into another tensor, as keys are into their cache.
            Tensor target = any();
            return Tensor.builder(target.layout()).op(oneOp()).viewOf(target, 0).sources(any(), target);
        }
        Tensor first = any();
        Tensor.Builder node = Tensor.builder(random.nextInt(3) == 0 ? layout() : first.layout())
                .op(oneOp());
        int slots = random.nextInt(1, 4);
        int place = random.nextInt(slots);
        for (int slot = 0; slot < slots; slot++) {
            if (slot == place) {
                node.sourceAt(slot, first);
            } else if (random.nextInt(8) != 0) {
                node.sourceAt(slot, any());
            }
        }
        return node;
    }

    private Tensor.Builder viewOf(Tensor source) {
        if (source.type().isQuantized() || random.nextBoolean()) {
            return Tensor.builder(source.layout()).viewOf(source, 0);
        }
        long element = source.type().bytesPerBlock();
        long elements = source.byteSize() / element;
        long start = random.nextLong(elements);
        long length = random.nextLong(1, elements - start + 1);
        return Tensor.builder(Layout.contiguous(source.type(), length)).viewOf(source, start * element);
    }

    private Layout layout() {
        ElementType type = random.nextInt(5) == 0 ? ElementType.Q8_0 : ElementType.F32;
        return Layout.contiguous(type, 32L << random.nextInt(6));
    }

    private Op oneOp() {
        return ops.get(random.nextInt(ops.size()));
    }

    /** A tensor made before: often a weight, else more often one of the last. */
    private Tensor any() {
        if (!weights.isEmpty() && random.nextInt(6) < weightBias) {
            return weights.get(random.nextInt(weights.size()));
        }
        int back = random.nextInt(4) == 0 ? all.size() : Math.min(all.size(), reach);
        return all.get(all.size() - 1 - random.nextInt(back));
    }

    /** The leaves that are meant to have memory of their own. */
    List<Tensor> weights() {
        return weights;
    }

    /** As a caller builds it from its results, or as a list of nodes with the leaves they read. */
    Graph graph() {
        if (random.nextBoolean()) {
            List<Tensor> roots = new ArrayList<>();
            for (int i = random.nextInt(1, 5); i > 0; i--) {
                roots.add(nodes.get(random.nextInt(nodes.size())));
            }
            roots.add(nodes.getLast());
            return Graph.of(roots);
        }
        Set<Tensor> read = new LinkedHashSet<>();
        for (Tensor node : nodes) {
            for (int slot = 0; slot < node.sourceCount(); slot++) {
                if (node.hasSource(slot)) {
                    read.add(node.source(slot));
                }
            }
            if (node.isView()) {
                read.add(node.viewSource());
            }
        }
        return Graph.listed(nodes, leaves.stream().filter(read::contains).toList());
    }
}
