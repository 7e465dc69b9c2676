package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.op.unit.Activations;
import dev.stowage.cuda.op.unit.Exactness;
import dev.stowage.cuda.op.unit.ExpertRouter;
import dev.stowage.cuda.op.unit.Pointers;
import dev.stowage.cuda.op.unit.QuantizedActivations;
import dev.stowage.cuda.op.unit.UnitProduct;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The mixture of experts of a layer for a few tokens, with experts in units, in three launches:
 *
 * <pre>
 *   norm, weight ──► scores ──► soft-max ──► best experts ──► their shares
 *   products with gate and up of these ──► gated unit
 *   products with down ──► times shares ──► sum ──► residual sum ──► norm, weight of the next
 * </pre>
 */
final class ExpertFusion {

    /** Published are whole lanes of activations. */
    private static final int PUBLISHED_ROWS = 32;

    private final Graph graph;
    private final boolean[] done;
    private final LaunchList out;
    private final GraphRelations relations;
    private final ExpertPatterns patterns;
    private final TokenFusion tokens;
    /** By the id of a gated unit that is not stored, what products read in its place. */
    private final Map<Integer, Activations> published = new HashMap<>();

    ExpertFusion(BoundGraph bound, boolean[] done, LaunchList out, TokenFusion tokens) {
        this.graph = bound.graph();
        this.done = done;
        this.out = out;
        this.tokens = tokens;
        this.relations = new GraphRelations(bound);
        this.patterns = new ExpertPatterns(graph, done, relations);
    }

    /** Adds a launch for a node and others, and marks them as done; false if it begins nothing that is fused. */
    boolean launch(int node) {
        return switch (graph.op(node)) {
            case RMS_NORM -> launchRoute(node);
            case MUL_MAT_ID -> patterns.isExperts(node) && isFew(node) && (launchGated(node) || launchSum(node));
            default -> false;
        };
    }

    private boolean isFew(int product) {
        return graph.node(product).dim(2) <= UnitProduct.MAX_FUSED_TOKENS;
    }

    private boolean launchRoute(int norm) {
        ExpertPatterns.Route route = patterns.route(norm);
        if (route == null || graph.node(norm).shape().rows() > UnitProduct.MAX_FUSED_TOKENS) {
            return false;
        }
        ExpertRouter router = new ExpertRouter(
                relations.tensor(route.x()),
                relations.tensor(route.weight()),
                ((OpParameters.Norm) graph.node(norm).parameters()).epsilon(),
                relations.tensor(route.normed()),
                relations.tensor(route.router()),
                Math.toIntExact(graph.tensor(route.chosen()).dim(0)),
                route.leastSum(),
                relations.tensor(route.order()),
                relations.tensor(route.quotient()));
        List<Integer> stored = List.of(route.normed(), route.order(), route.quotient());
        if (!router.suits(out.gpu()) || !areApart(stored, List.of(route.x(), route.weight(), route.router()))) {
            return false;
        }
        router.launch(out);
        finish(route.nodes());
        return true;
    }

    /** Whether some tensors have no byte in common with each other and with others. */
    private boolean areApart(List<Integer> some, List<Integer> others) {
        return some.stream()
                .allMatch(a -> Stream.concat(some.stream(), others.stream())
                        .noneMatch(b -> !a.equals(b) && relations.overlap(a, b)));
    }

    private void finish(List<Integer> nodes) {
        nodes.forEach(node -> done[node] = true);
        out.endGroup(nodes);
    }

    /** Gate and up of the used experts, and the gated unit, which is published where only down reads it. */
    private boolean launchGated(int first) {
        ExpertPatterns.Gated gated = patterns.gated(first);
        if (gated == null) {
            return false;
        }
        int x = relations.source(first, 1);
        int ids = relations.source(first, 2);
        boolean isPublished = isPublished(gated.unit(), first);
        if (!isPublished && !areApart(List.of(gated.unit()), List.of(x, ids))) {
            return false;
        }
        UnitProduct product = product(first, floats(x))
                .matrix(patterns.weights(gated.gate()), isPublished ? null : relations.tensor(gated.unit()))
                .matrix(patterns.weights(gated.up()), null)
                .glu(((OpParameters.Glu) graph.node(gated.unit()).parameters()).function());
        if (isPublished) {
            long rows = graph.node(gated.unit()).dim(0);
            QuantizedActivations target = QuantizedActivations.allocate(
                    out, rows, Math.toIntExact(graph.node(gated.unit()).shape().rows()));
            product.publish(target, Pointers.NONE);
            long used = graph.node(first).dim(1);
            published.put(gated.unit(), Activations.ofExperts(target, Math.toIntExact(used)));
        }
        product.launch(out);
        finish(Stream.of(gated.gate(), gated.up(), gated.unit()).sorted().toList());
        return true;
    }

    /** Whether a gated unit is read by one product of a few tokens with large quantised experts alone. */
    private boolean isPublished(int unit, int product) {
        int reader = relations.onlyReader(unit);
        return patterns.isExperts(reader)
                && relations.source(reader, 1) == unit
                && relations.source(reader, 2) == relations.source(product, 2)
                && patterns.weights(reader).type().isQuantized()
                && graph.node(unit).dim(0) % PUBLISHED_ROWS == 0
                && !Exactness.isSmall(
                        patterns.weights(reader).dim(0),
                        patterns.weights(reader).dim(1));
    }

    /** The vectors of experts: one for each token, or one for each used expert of it. */
    private Activations floats(int x) {
        BoundTensor vectors = relations.tensor(x);
        return Activations.floats(Pointers.of(vectors), vectors.stride(2) / Float.BYTES)
                .perExpert(vectors.dim(1) == 1 ? 0 : vectors.stride(1) / Float.BYTES);
    }

    private UnitProduct product(int node, Activations activations) {
        UnitLayout layout = UnitLayout.of(patterns.weights(node).layout()).orElseThrow();
        BoundTensor ids = relations.tensor(relations.source(node, 2));
        return UnitProduct.of(
                        layout.format(),
                        layout.k(),
                        activations,
                        Math.toIntExact(graph.node(node).dim(2)))
                .experts(
                        Pointers.of(ids),
                        Math.toIntExact(ids.dim(0)),
                        ids.stride(1) / Integer.BYTES,
                        layout.matrixBytes());
    }

    /** Down of the used experts, the sum of its results times their shares, and the residual sum. */
    private boolean launchSum(int down) {
        int x = relations.source(down, 1);
        Activations activations = published.get(x);
        ExpertPatterns.Sum sum = patterns.sum(down);
        if (sum == null || !canAddUp(down, sum, activations == null ? List.of(x) : List.of())) {
            return activations != null && launchPublished(down, activations);
        }
        UnitProduct product = product(down, activations == null ? floats(x) : activations);
        BoundTensor shares = relations.tensor(sum.shares());
        product.addedUp(Pointers.of(shares), shares.dim(1));
        List<Integer> nodes = new ArrayList<>(sum.nodes());
        int result = sum.result();
        int total = tokens.residualSum(result);
        if (total != Graph.NO_ID && isApartFromInputs(total, down, sum, x, activations == null)) {
            int other = relations.source(total, relations.source(total, 0) == result ? 1 : 0);
            product.residual(Pointers.of(relations.tensor(other)));
            nodes.add(total);
            result = total;
        }
        product.matrix(patterns.weights(down), relations.tensor(result));
        nodes.forEach(node -> done[node] = true);
        tokens.publishToNorm(product, result);
        product.launch(out);
        out.endGroup(nodes);
        return true;
    }

    private boolean isApartFromInputs(int result, int down, ExpertPatterns.Sum sum, int x, boolean readsFloats) {
        List<Integer> inputs = new ArrayList<>(List.of(relations.source(down, 2), sum.shares()));
        if (readsFloats) {
            inputs.add(x);
        }
        return areApart(List.of(result), inputs);
    }

    private boolean canAddUp(int down, ExpertPatterns.Sum sum, List<Integer> floats) {
        UnitLayout layout = UnitLayout.of(patterns.weights(down).layout()).orElseThrow();
        int used = Math.toIntExact(graph.node(down).dim(1));
        return UnitProduct.canAddUp(layout.format(), layout.k(), used, out.gpu())
                && graph.node(sum.result()).type() == ElementType.F32
                && isApartFromInputs(sum.result(), down, sum, relations.source(down, 1), !floats.isEmpty());
    }

    /** The products alone, of vectors that were published. */
    private boolean launchPublished(int down, Activations activations) {
        product(down, activations)
                .matrix(patterns.weights(down), relations.tensor(down))
                .launch(out);
        finish(List.of(down));
        return true;
    }
}
