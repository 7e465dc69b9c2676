package dev.stowage.cuda.op;

import dev.stowage.cuda.op.attention.AttentionFamily;
import dev.stowage.cuda.op.rope.RopeFamily;
import dev.stowage.cuda.op.unit.Activations;
import dev.stowage.cuda.op.unit.Columns;
import dev.stowage.cuda.op.unit.Exactness;
import dev.stowage.cuda.op.unit.Pointers;
import dev.stowage.cuda.op.unit.QuantizedActivations;
import dev.stowage.cuda.op.unit.UnitProduct;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The products of a few tokens with weights in units, and what surrounds them in a transformer, in as few launches as
 * possible:
 *
 * <pre>
 *   norm, weight ──► products of one vector ──► biases            one launch for query, key and value
 *   norm, weight ──► gate, up ──► gated unit                      one launch
 *   product ──► residual sum ──► norm, weight of the next         one launch
 * </pre>
 *
 * A result that only the next products read is not stored but published in the form in which they read it: quantised,
 * with the sums of squares from which they compute the factor of the norm between. Products of one vector are computed
 * at the place of the first one, where nothing in between touches their results.
 */
final class TokenFusion {

    private static final int PUBLISHED_ROWS = 32;

    private final BoundGraph bound;
    private final Graph graph;
    private final boolean[] done;
    private final LaunchList out;
    private final GraphRelations relations;
    private final TokenPatterns patterns;
    private final AttentionPattern attention;
    /** By the id of a tensor that is not computed, what products read in its place. */
    private final Map<Integer, Input> inputs = new HashMap<>();

    /**
     * What products read.
     *
     * @param tensor the tensor whose memory it is in, or {@link Graph#NO_ID} for scratch memory
     */
    private record Input(Activations activations, int tensor) {}

    TokenFusion(BoundGraph bound, boolean[] done, LaunchList out) {
        this.bound = bound;
        this.graph = bound.graph();
        this.done = done;
        this.out = out;
        this.relations = new GraphRelations(bound);
        this.patterns = new TokenPatterns(graph, done, relations);
        this.attention = new AttentionPattern(graph, done, relations);
    }

    /** Adds a launch for a node and others, and marks them as done; false if it begins nothing that is fused. */
    boolean launch(int node) {
        return switch (graph.op(node)) {
            case RMS_NORM -> deferNorm(node);
            case MUL_MAT -> patterns.isProduct(node) && launchProducts(node);
            case ROPE -> launchRope(node);
            case FLASH_ATTN_EXT -> publishAttention(node);
            default -> false;
        };
    }

    /** The rotation of queries, and the rotation and storing of keys and values that follow. */
    private boolean launchRope(int query) {
        List<Integer> nodes = attention.ropeAndStore(query, List.of());
        if (nodes.isEmpty()
                || attention.readerThroughViews(nodes.get(1)) != nodes.get(2)
                || !RopeFamily.ropeCache(step(nodes, 0), step(nodes, 1), step(nodes, 2), step(nodes, 3), out)) {
            return false;
        }
        nodes.forEach(node -> done[node] = true);
        out.endGroup(nodes);
        return true;
    }

    /** Has a product of queries, keys and values do what follows them up to attention, and adds those nodes. */
    private void finishForAttention(UnitProduct product, List<Integer> after, List<Integer> nodes) {
        if (!after.isEmpty() && product.canHaveTail(out.gpu())) {
            RopeFamily.asTail(step(after, 0), step(after, 1), step(after, 2), step(after, 3))
                    .ifPresent(tail -> {
                        product.finishBy(relations.tensor(after.getFirst()), tail);
                        nodes.addAll(after);
                    });
        }
    }

    /** Attention whose result, seen as a row, only products read is published to them. */
    private boolean publishAttention(int node) {
        int row = patterns.rowForProducts(node);
        if (row == Graph.NO_ID || graph.tensor(row).shape().rows() != 1 || !isLong(row)) {
            return false;
        }
        QuantizedActivations published = published(row);
        if (!AttentionFamily.decodePublished(Step.of(bound, node), published, out)) {
            return false;
        }
        inputs.put(row, new Input(Activations.of(published), Graph.NO_ID));
        done[node] = true;
        out.endGroup(List.of(node));
        return true;
    }

    private Step step(List<Integer> nodes, int index) {
        return Step.of(bound, nodes.get(index));
    }

    /** A norm whose result only products read is computed by them. */
    private boolean deferNorm(int node) {
        int x = relations.source(node, 0);
        TokenPatterns.Norm norm = patterns.norm(node, x);
        if (norm == null
                || !isLong(x)
                || !Columns.areUniform(relations.tensor(x).layout())) {
            return false;
        }
        List<Integer> readers = relations.readers(norm.scaled());
        if (relations.isWrittenBetween(node, readers.getLast(), x, done)
                || readers.stream().anyMatch(reader -> relations.overlap(reader, x))) {
            return false;
        }
        Columns columns = Columns.of(relations.tensor(x).layout());
        Activations activations = Activations.normed(
                Pointers.of(relations.tensor(x)),
                columns.stride(),
                Pointers.of(relations.tensor(norm.weight())),
                norm.epsilon());
        skip(norm, new Input(activations, x));
        return true;
    }

    private void skip(TokenPatterns.Norm norm, Input instead) {
        inputs.put(norm.scaled(), instead);
        done[norm.norm()] = true;
        done[norm.scaled()] = true;
    }

    private boolean launchProducts(int first) {
        int x = relations.source(first, 1);
        Input input = inputs.getOrDefault(x, plainInput(x));
        List<TokenPatterns.Member> members = patterns.members(first, x);
        int gated = patterns.gatedUnit(members);
        int sum = members.size() == 1 && members.getFirst().bias() == Graph.NO_ID
                ? patterns.residualSum(first)
                : Graph.NO_ID;
        int combined = gated != Graph.NO_ID ? gated : sum;
        if (combined != Graph.NO_ID && input.tensor() != Graph.NO_ID && relations.overlap(combined, input.tensor())) {
            combined = Graph.NO_ID;
        }
        UnitProduct product = UnitProduct.of(
                relations.tensor(relations.source(first, 0)),
                input.activations(),
                Math.toIntExact(Columns.of(graph.tensor(x).layout()).count()));
        List<Integer> nodes = new ArrayList<>();
        if (combined == Graph.NO_ID) {
            addAll(product, members, patterns.mixed(members, x, out.gpu()), nodes);
        } else {
            addCombined(product, members, combined, nodes);
        }
        product.launch(out);
        nodes.forEach(node -> done[node] = true);
        out.endGroup(nodes.stream().sorted().toList());
        return true;
    }

    /** Adds the matrices of products, in the order of queries, keys and values where attention follows. */
    private void addAll(
            UnitProduct product,
            List<TokenPatterns.Member> members,
            TokenPatterns.@Nullable Member mixed,
            List<Integer> nodes) {
        AttentionPattern.Found found = attention.find(members, mixed);
        List<TokenPatterns.Member> ordered = found == null ? members : found.members();
        ordered.stream().filter(member -> !member.equals(mixed)).forEach(member -> add(product, member, nodes));
        if (mixed != null) {
            addMixed(product, mixed, nodes);
        }
        if (found != null) {
            finishForAttention(product, found.after(), nodes);
        }
    }

    private Input plainInput(int x) {
        Columns columns = Columns.of(graph.tensor(x).layout());
        return new Input(Activations.floats(Pointers.of(relations.tensor(x)), columns.stride()), x);
    }

    private void add(UnitProduct product, TokenPatterns.Member member, List<Integer> nodes) {
        BoundTensor weight = relations.tensor(relations.source(member.product(), 0));
        BoundTensor result = relations.tensor(member.result());
        nodes.add(member.product());
        if (member.bias() == Graph.NO_ID) {
            product.matrix(weight, result);
        } else {
            product.matrix(weight, relations.tensor(member.bias()), result);
            nodes.add(member.result());
        }
    }

    private void addMixed(UnitProduct product, TokenPatterns.Member member, List<Integer> nodes) {
        BoundTensor bias = member.bias() == Graph.NO_ID ? null : relations.tensor(member.bias());
        product.lastMatrix(
                relations.tensor(relations.source(member.product(), 0)), bias, relations.tensor(member.result()));
        nodes.add(member.product());
        if (bias != null) {
            nodes.add(member.result());
        }
    }

    /** Adds the matrices of a gated unit or of a residual sum, and publishes the result to its readers where it can be. */
    private void addCombined(
            UnitProduct product, List<TokenPatterns.Member> members, int combined, List<Integer> nodes) {
        members.forEach(member -> nodes.add(member.product()));
        nodes.add(combined);
        if (graph.op(combined) == Op.GLU) {
            boolean isPublished = isLong(relations.source(members.getFirst().product(), 1))
                    && isPublished(combined, product)
                    && publish(product, combined, combined, Pointers.NONE);
            product.matrix(
                            relations.tensor(relations.source(relations.source(combined, 0), 0)),
                            isPublished ? null : relations.tensor(combined))
                    .matrix(relations.tensor(relations.source(relations.source(combined, 1), 0)), null)
                    .glu(((OpParameters.Glu) graph.node(combined).parameters()).function());
            return;
        }
        int result = members.getFirst().product();
        int other = relations.source(combined, 0) == result ? 1 : 0;
        product.matrix(relations.tensor(relations.source(result, 0)), relations.tensor(combined))
                .residual(Pointers.of(relations.tensor(relations.source(combined, other))));
        publishToNorm(product, combined);
    }

    /** Publishes the sum that a product stores to the norm that reads it, where only products read that norm. */
    void publishToNorm(UnitProduct product, int sum) {
        for (int reader : relations.readers(sum)) {
            TokenPatterns.Norm norm =
                    graph.op(reader) == Op.RMS_NORM && !done[reader] ? patterns.norm(reader, sum) : null;
            if (norm != null && isPublished(norm.scaled(), product)) {
                QuantizedActivations published = published(sum);
                product.publish(published, Pointers.of(relations.tensor(norm.weight())));
                skip(norm, new Input(Activations.normed(published, norm.epsilon()), Graph.NO_ID));
                return;
            }
        }
    }

    /** The sum of a product's result and rows that are there already; {@link Graph#NO_ID} if there is none. */
    int residualSum(int product) {
        return patterns.residualSum(product);
    }

    /** Whether a tensor that is not computed can be read in quantised form by all its readers. */
    private boolean isPublished(int id, UnitProduct product) {
        return relations.isInternal(id)
                && isLong(id)
                && graph.tensor(id).dim(0) % PUBLISHED_ROWS == 0
                && product.canPublish(out.gpu())
                && !relations.readers(id).isEmpty()
                && patterns.areQuantizedProducts(id);
    }

    private boolean isLong(int id) {
        return !Exactness.isShort(graph.tensor(id).dim(0));
    }

    private boolean publish(UnitProduct product, int result, int read, Launch.Argument norm) {
        QuantizedActivations published = published(result);
        product.publish(published, norm);
        inputs.put(read, new Input(Activations.of(published), Graph.NO_ID));
        return true;
    }

    private QuantizedActivations published(int id) {
        return QuantizedActivations.allocate(
                out,
                graph.tensor(id).dim(0),
                Math.toIntExact(graph.tensor(id).shape().rows()));
    }
}
