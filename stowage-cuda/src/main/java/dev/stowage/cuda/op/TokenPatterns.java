package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.RepackedBuffer;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.op.unit.Columns;
import dev.stowage.cuda.op.unit.UnitProduct;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what {@link TokenFusion} computes together: products of a few tokens with weights in units, the norms that only
 * they read, and the sums and gated units that alone read them. Changes nothing.
 */
final class TokenPatterns {

    /** How far after a product others of the same vector are looked for. */
    private static final int WINDOW = 24;

    private final Graph graph;
    private final boolean[] done;
    private final GraphRelations relations;

    /** An RMS norm and its weight, whose result only products in units read. */
    record Norm(int norm, int scaled, int weight, float epsilon) {}

    /** A product with the bias that is added to its result. */
    record Member(int product, int bias, int result) {}

    TokenPatterns(Graph graph, boolean[] done, GraphRelations relations) {
        this.graph = graph;
        this.done = done;
        this.relations = relations;
    }

    /** Whether a node is a product of a few tokens with a matrix in units. */
    boolean isProduct(int node) {
        if (graph.op(node) != Op.MUL_MAT
                || done[node]
                || graph.node(node).shape().isEmpty()) {
            return false;
        }
        BoundTensor weights = relations.tensor(relations.source(node, 0));
        BoundTensor vectors = relations.tensor(relations.source(node, 1));
        return weights.buffer() instanceof RepackedBuffer
                && vectors.type() == ElementType.F32
                && Columns.areUniform(vectors.layout())
                && Columns.of(vectors.layout()).count() <= UnitProduct.tokensAtOnce(weights);
    }

    /** The norm of a tensor at a node, if only products read its result. */
    @Nullable
    Norm norm(int node, int x) {
        int scaled = relations.onlyReader(node);
        if (scaled == Graph.NO_ID
                || graph.op(scaled) != Op.MUL
                || done[scaled]
                || relations.source(scaled, 0) != node
                || !relations.isInternal(scaled)
                || relations.readers(scaled).isEmpty()) {
            return null;
        }
        int weight = relations.source(scaled, 1);
        BoundTensor factors = relations.tensor(weight);
        boolean isRow = factors.type() == ElementType.F32
                && factors.layout().isContiguous()
                && factors.shape().elements() == graph.tensor(x).dim(0);
        boolean isForProducts = relations.readers(scaled).stream()
                .allMatch(reader -> isProduct(reader) && relations.source(reader, 1) == scaled);
        return isRow && isForProducts && graph.tensor(x).type() == ElementType.F32
                ? new Norm(
                        node,
                        scaled,
                        weight,
                        ((OpParameters.Norm) graph.node(node).parameters()).epsilon())
                : null;
    }

    /** Products of the same vector with matrices of the same type, which can be computed together with the first. */
    List<Member> members(int first, int x) {
        List<Member> members = new ArrayList<>();
        members.add(member(first));
        BoundTensor like = relations.tensor(relations.source(first, 0));
        for (int node = first + 1;
                node < Math.min(graph.nodeCount(), first + WINDOW) && members.size() < UnitProduct.MAX_MATRICES;
                node++) {
            if (isProduct(node)
                    && relations.source(node, 1) == x
                    && relations.tensor(relations.source(node, 0)).type() == like.type()) {
                Member member = member(node);
                if (isMovable(first, member)) {
                    members.add(member);
                }
            }
        }
        return members;
    }

    /** A product of the same vector with a matrix of a type that mixes with that of the members, if there is one. */
    @Nullable
    Member mixed(List<Member> members, int x, Gpu gpu) {
        int first = members.getFirst().product();
        if (members.size() == UnitProduct.MAX_MATRICES
                || graph.node(first).shape().rows() != 1) {
            return null;
        }
        for (int node = first + 1; node < Math.min(graph.nodeCount(), first + WINDOW); node++) {
            if (isProduct(node)
                    && relations.source(node, 1) == x
                    && UnitProduct.canMix(
                            format(first), format(node), graph.tensor(x).dim(0), gpu)
                    && isMovable(first, member(node))) {
                return member(node);
            }
        }
        return null;
    }

    private UnitFormat format(int product) {
        return UnitFormat.of(relations.tensor(relations.source(product, 0)).type())
                .orElseThrow();
    }

    private boolean isMovable(int first, Member member) {
        return !relations.isTouchedBetween(first - 1, member.product(), member.product(), done)
                && (member.bias() == Graph.NO_ID
                        || !relations.isTouchedBetween(first - 1, member.product(), member.result(), done));
    }

    /** A product and the row that is added to its result, if that is all that reads it. */
    private Member member(int product) {
        int sum = relations.onlyReader(product);
        if (sum != Graph.NO_ID && graph.op(sum) == Op.ADD && !done[sum] && relations.source(sum, 0) == product) {
            int row = relations.source(sum, 1);
            BoundTensor bias = relations.tensor(row);
            boolean isBias = graph.isLeaf(row)
                    && bias.type() == ElementType.F32
                    && bias.layout().isContiguous()
                    && bias.shape().elements() == graph.node(product).dim(0)
                    && bias.dim(0) == graph.node(product).dim(0)
                    && graph.node(product).shape().rows() > 1;
            boolean isSingle = graph.isLeaf(row)
                    && graph.node(product).shape().rows() == 1
                    && bias.type() == ElementType.F32
                    && bias.layout().isContiguous()
                    && bias.shape().equals(graph.node(product).shape());
            if ((isBias || isSingle)
                    && graph.node(sum).layout().isContiguous()
                    && !relations.isTouchedBetween(product, sum, sum, done)
                    && !relations.overlap(sum, relations.source(product, 1))) {
                return new Member(product, row, sum);
            }
        }
        return new Member(product, Graph.NO_ID, product);
    }

    /** The gated unit that alone reads two products; {@link Graph#NO_ID} if there is none. */
    int gatedUnit(List<Member> members) {
        if (members.size() != 2
                || members.stream().anyMatch(member -> member.bias() != Graph.NO_ID)
                || !graph.node(members.get(0).product())
                        .shape()
                        .equals(graph.node(members.get(1).product()).shape())) {
            return Graph.NO_ID;
        }
        int unit = relations.onlyReader(members.get(0).product());
        boolean isGated = unit != Graph.NO_ID
                && unit == relations.onlyReader(members.get(1).product())
                && graph.op(unit) == Op.GLU
                && !done[unit]
                && graph.node(unit).parameters() instanceof OpParameters.Glu(GluFunction function, boolean _)
                && UnitProduct.supports(function)
                && graph.node(unit).layout().isContiguous()
                && graph.node(unit).type() == ElementType.F32
                && relations.source(unit, 1) != Graph.NO_ID
                && !relations.isTouchedBetween(
                        members.get(0).product(), members.get(1).product(), unit, done)
                && !relations.isTouchedBetween(members.get(1).product(), unit, unit, done);
        return isGated ? unit : Graph.NO_ID;
    }

    /** The sum of a product and rows of the same shape that are there already; {@link Graph#NO_ID} if there is none. */
    int residualSum(int product) {
        int sum = relations.onlyReader(product);
        if (sum == Graph.NO_ID || graph.op(sum) != Op.ADD || done[sum]) {
            return Graph.NO_ID;
        }
        int other = relations.source(sum, relations.source(sum, 0) == product ? 1 : 0);
        BoundTensor rows = relations.tensor(other);
        boolean isThere = !graph.isNode(other) || other < product || done[other];
        boolean isSum = other != product
                && isThere
                && rows.type() == ElementType.F32
                && rows.layout().isContiguous()
                && rows.shape().equals(graph.node(product).shape())
                && graph.node(sum).layout().isContiguous()
                && graph.node(sum).type() == ElementType.F32
                && (relations.isSame(sum, other) || !relations.overlap(sum, other))
                && !relations.isWrittenBetween(product, sum, other, done)
                && !relations.isTouchedBetween(product, sum, sum, done);
        return isSum ? sum : Graph.NO_ID;
    }

    /** Whether all that reads a tensor are products with quantised weights. */
    boolean areQuantizedProducts(int id) {
        return relations.readers(id).stream()
                .allMatch(reader -> isProduct(reader)
                        && relations.source(reader, 1) == id
                        && relations.tensor(relations.source(reader, 0)).type().isQuantized());
    }

    /**
     * The view of a result that is all that reads it, and that only products with quantised weights read; {@link
     * Graph#NO_ID} if there is none.
     */
    int rowForProducts(int node) {
        int row = relations.onlyReader(node);
        return row != Graph.NO_ID
                        && graph.isViewOp(row)
                        && !graph.isOutput(row)
                        && !graph.isReadLater(row)
                        && !relations.readers(row).isEmpty()
                        && areQuantizedProducts(row)
                ? row
                : Graph.NO_ID;
    }
}
