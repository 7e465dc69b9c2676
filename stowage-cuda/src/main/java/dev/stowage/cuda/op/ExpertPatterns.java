package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.RepackedBuffer;
import dev.stowage.cuda.op.unit.UnitProduct;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the parts of a mixture of experts that {@link ExpertFusion} computes together. Changes nothing. */
final class ExpertPatterns {

    private final Graph graph;
    private final boolean[] done;
    private final GraphRelations relations;

    /**
     * The choice of experts.
     *
     * @param nodes all nodes of it in order: norm, its weight, scores, shares, order, picked shares, sum, clamped sum,
     *     quotient
     * @param chosen the view of the order that has the used experts
     */
    record Route(List<Integer> nodes, int x, int weight, int router, int chosen, float leastSum) {

        int normed() {
            return nodes.get(1);
        }

        int order() {
            return nodes.get(4);
        }

        int quotient() {
            return nodes.getLast();
        }
    }

    /** Two products of the same experts and vectors that only a gated unit reads. */
    record Gated(int gate, int up, int unit) {}

    /**
     * The product of the used experts of a token, multiplied with their shares and added up.
     *
     * @param nodes the product and all that follows, without views
     * @param shares the tensor that has the shares
     */
    record Sum(List<Integer> nodes, int shares) {

        int result() {
            return nodes.getLast();
        }
    }

    ExpertPatterns(Graph graph, boolean[] done, GraphRelations relations) {
        this.graph = graph;
        this.done = done;
        this.relations = relations;
    }

    /** The choice of experts that begins with a norm. */
    @Nullable
    Route route(int norm) {
        int scaled = next(norm, Op.MUL);
        int scores = scaled == Graph.NO_ID || relations.source(scaled, 0) != norm ? Graph.NO_ID : router(scaled);
        int shares = next(scores, Op.SOFT_MAX);
        if (shares == Graph.NO_ID || !isPlainSoftMax(shares) || !relations.isInternal(shares)) {
            return null;
        }
        int order = reader(shares, Op.ARGSORT);
        int chosen = isReadOnce(order) ? onlyView(order) : Graph.NO_ID;
        int picked = chosen == Graph.NO_ID ? Graph.NO_ID : pickedShares(shares, order, chosen);
        int row = isReadOnce(picked) ? onlyView(picked) : Graph.NO_ID;
        int sum = row == Graph.NO_ID ? Graph.NO_ID : reader(row, Op.SUM_ROWS);
        int clamped = next(sum, Op.CLAMP);
        // A clamped sum is stored over the sum, and so counts as a view.
        int quotient = isReadOnce(clamped) ? reader(clamped, Op.DIV) : Graph.NO_ID;
        if (quotient == Graph.NO_ID
                || relations.readers(row).size() != 2
                || relations.source(quotient, 0) != row
                || relations.source(quotient, 1) != clamped
                || !(graph.node(clamped).parameters() instanceof OpParameters.Clamp(float min, float max))
                || max != Float.POSITIVE_INFINITY) {
            return null;
        }
        int weight = relations.source(scaled, 1);
        Route route = new Route(
                List.of(norm, scaled, scores, shares, order, picked, sum, clamped, quotient),
                relations.source(norm, 0),
                weight,
                relations.source(scores, 0),
                chosen,
                min);
        return isRow(weight, scaled) && isFirstOfOrder(route) && isTogether(route.nodes()) ? route : null;
    }

    /** The scores of experts: the product of a plain matrix with a normed vector. */
    private int router(int scaled) {
        return relations.readers(scaled).stream()
                .filter(reader -> graph.op(reader) == Op.MUL_MAT
                        && relations.source(reader, 1) == scaled
                        && !(relations.tensor(relations.source(reader, 0)).buffer() instanceof RepackedBuffer))
                .findFirst()
                .orElse(Graph.NO_ID);
    }

    private boolean isPlainSoftMax(int node) {
        return relations.source(node, 1) == Graph.NO_ID
                && relations.source(node, 2) == Graph.NO_ID
                && graph.node(node).parameters() instanceof OpParameters.SoftMax(float scale, float bias)
                && scale == 1
                && bias == 0;
    }

    /** The rows of a view of shares that the chosen experts have, if the shares have no other readers. */
    private int pickedShares(int shares, int order, int chosen) {
        for (int view : relations.readers(shares)) {
            int picked = graph.isViewOp(view) && relations.readers(view).size() == 1
                    ? relations.readers(view).getFirst()
                    : Graph.NO_ID;
            if (picked != Graph.NO_ID
                    && relations.readers(shares).size() == 2
                    && graph.op(picked) == Op.GET_ROWS
                    && relations.source(picked, 0) == view
                    && relations.source(picked, 1) == chosen
                    && graph.node(order).parameters() instanceof OpParameters.Argsort(SortOrder direction)
                    && direction == SortOrder.DESC) {
                return picked;
            }
        }
        return Graph.NO_ID;
    }

    private boolean isRow(int weight, int scaled) {
        BoundTensor row = relations.tensor(weight);
        return row.type() == ElementType.F32
                && row.layout().isContiguous()
                && row.shape().elements() == graph.node(scaled).dim(0);
    }

    /** Whether the chosen experts are the first of each row of the order, and shares and quotients have no gaps. */
    private boolean isFirstOfOrder(Route route) {
        Tensor chosen = graph.tensor(route.chosen());
        Tensor order = graph.tensor(route.order());
        Tensor quotient = graph.tensor(route.quotient());
        return relations.isSameBeginning(route.chosen(), route.order())
                && chosen.dim(1) == order.dim(1)
                && order.shape().rows() == order.dim(1)
                && (chosen.dim(1) == 1 || chosen.stride(1) == order.stride(1))
                && chosen.layout().hasContiguousRows()
                && quotient.layout().isContiguous()
                && quotient.dim(0) == chosen.dim(0)
                && quotient.shape().elements() == chosen.shape().elements();
    }

    /** Whether nothing else is computed between the first and the last of some nodes, none of which is done. */
    private boolean isTogether(List<Integer> nodes) {
        for (int node = nodes.getFirst(); node <= nodes.getLast(); node++) {
            boolean isComputed = graph.isComputed(node)
                    && !graph.isViewOp(node)
                    && !graph.node(node).shape().isEmpty();
            if (isComputed && (done[node] || !nodes.contains(node))) {
                return false;
            }
        }
        return true;
    }

    /** The gated unit of a product with experts and another one. */
    @Nullable
    Gated gated(int first) {
        int unit = isExperts(first) ? relations.onlyReader(first) : Graph.NO_ID;
        if (unit == Graph.NO_ID
                || graph.op(unit) != Op.GLU
                || done[unit]
                || !(graph.node(unit).parameters() instanceof OpParameters.Glu(GluFunction function, boolean _))
                || !UnitProduct.supports(function)
                || relations.source(unit, 1) == Graph.NO_ID) {
            return null;
        }
        int gate = relations.source(unit, 0);
        int up = relations.source(unit, 1);
        int second = first == gate ? up : gate;
        boolean isPair = second > first
                && isExperts(second)
                && relations.onlyReader(second) == unit
                && relations.source(first, 1) == relations.source(second, 1)
                && relations.source(first, 2) == relations.source(second, 2)
                && weights(first).layout().equals(weights(second).layout())
                && graph.node(unit).layout().isContiguous()
                && graph.node(unit).type() == ElementType.F32;
        return isPair && isTogether(List.of(first, second, unit)) ? new Gated(gate, up, unit) : null;
    }

    BoundTensor weights(int product) {
        return relations.tensor(relations.source(product, 0));
    }

    /** Whether a node is a product with experts in units that is still to be computed. */
    boolean isExperts(int node) {
        return node != Graph.NO_ID
                && graph.isNode(node)
                && graph.op(node) == Op.MUL_MAT_ID
                && !done[node]
                && weights(node).buffer() instanceof RepackedBuffer;
    }

    /** The sum of a product's results times their shares, and the residual sum after it if there is one. */
    @Nullable
    Sum sum(int product) {
        int used = Math.toIntExact(graph.node(product).dim(1));
        int weighted = next(product, Op.MUL);
        if (weighted == Graph.NO_ID || relations.source(weighted, 0) != product || used < 2) {
            return null;
        }
        int shares = relations.source(weighted, 1);
        BoundTensor factors = relations.tensor(shares);
        List<Integer> parts = relations.readers(weighted);
        boolean hasShares = factors.type() == ElementType.F32
                && factors.layout().isContiguous()
                && factors.dim(0) == 1
                && factors.shape().elements() == graph.node(product).shape().rows();
        if (!hasShares || !relations.isInternal(weighted) || parts.size() != used) {
            return null;
        }
        List<Integer> nodes = new ArrayList<>(List.of(product, weighted));
        int sum = parts.getFirst();
        for (int i = 0; i < used; i++) {
            if (!isPart(parts.get(i), weighted, i)) {
                return null;
            }
            if (i > 0) {
                sum = sumOf(sum, parts.get(i));
                if (sum == Graph.NO_ID) {
                    return null;
                }
                nodes.add(sum);
            }
        }
        return graph.node(sum).layout().isContiguous() && isTogether(nodes) ? new Sum(nodes, shares) : null;
    }

    /** Whether a view has the results of one of the used experts of all tokens. */
    private boolean isPart(int view, int weighted, int place) {
        Tensor part = graph.node(view);
        Tensor whole = graph.node(weighted);
        return graph.op(view) == Op.VIEW
                && relations.readers(view).size() == 1
                && part.parameters() instanceof OpParameters.View(long offset)
                && offset == place * whole.stride(1)
                && part.dim(0) == whole.dim(0)
                && part.shape().rows() == whole.dim(2)
                && (whole.dim(2) == 1 || part.stride(1) == whole.stride(2));
    }

    /** The sum that alone reads two tensors. */
    private int sumOf(int a, int b) {
        int sum = relations.readers(a).size() == 1 ? relations.readers(a).getFirst() : Graph.NO_ID;
        boolean isSum = sum != Graph.NO_ID
                && relations.readers(b).getFirst() == sum
                && graph.op(sum) == Op.ADD
                && relations.source(sum, 0) == a
                && relations.source(sum, 1) == b
                && (graph.isViewOp(a) || relations.isInternal(a));
        return isSum ? sum : Graph.NO_ID;
    }

    /** The node of that op that alone reads a result which need not be written. */
    private int next(int node, Op op) {
        int reader = node == Graph.NO_ID ? Graph.NO_ID : relations.onlyReader(node);
        return reader != Graph.NO_ID && graph.op(reader) == op && !done[reader] ? reader : Graph.NO_ID;
    }

    private boolean isReadOnce(int node) {
        boolean isKept = node == Graph.NO_ID || graph.isOutput(node) || graph.isReadLater(node);
        return !isKept && relations.readers(node).size() == 1;
    }

    /** The only reader of that op. */
    private int reader(int id, Op op) {
        List<Integer> readers = relations.readers(id).stream()
                .filter(reader -> graph.op(reader) == op && !done[reader])
                .toList();
        return readers.size() == 1 ? readers.getFirst() : Graph.NO_ID;
    }

    /** The view that reads a result which is read once. */
    private int onlyView(int node) {
        int reader = relations.readers(node).getFirst();
        return graph.isViewOp(reader) ? reader : Graph.NO_ID;
    }
}
