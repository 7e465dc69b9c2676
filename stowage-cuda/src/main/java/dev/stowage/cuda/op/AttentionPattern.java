package dev.stowage.cuda.op;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds what lies between the products of queries, keys and values of a token and attention: the rotations, and the stores of
 * keys and values in the cache. {@link TokenFusion} computes it with the products or as one launch. Changes nothing.
 */
final class AttentionPattern {

    private final Graph graph;
    private final boolean[] done;
    private final GraphRelations relations;

    /** Products of queries, keys and values, and the rotations and stores after them. */
    record Found(List<TokenPatterns.Member> members, List<Integer> after) {}

    AttentionPattern(Graph graph, boolean[] done, GraphRelations relations) {
        this.graph = graph;
        this.done = done;
        this.relations = relations;
    }

    /**
     * Products that give queries, keys and values, in this order, and the four nodes between them and attention, which alone
     * read them; null if that is not what products are. A matrix of another type must be that of the values.
     */
    @Nullable
    Found find(List<TokenPatterns.Member> members, TokenPatterns.@Nullable Member mixed) {
        List<TokenPatterns.Member> all = new ArrayList<>(members);
        if (mixed != null) {
            all.add(mixed);
        }
        List<Integer> with = all.stream()
                .flatMap(member -> Stream.of(member.product(), member.result()))
                .toList();
        List<Integer> after = all.size() == 3 ? ropeAndStore(all.getFirst().product(), with) : List.of();
        if (after.isEmpty() || readerThroughViews(after.get(1)) != after.get(2)) {
            return null;
        }
        List<TokenPatterns.Member> ordered = Stream.of(after.get(0), after.get(1), after.get(3))
                .flatMap(reader -> all.stream().filter(member -> readerThroughViews(member.result()) == reader))
                .toList();
        return ordered.size() == 3 && (mixed == null || ordered.getLast().equals(mixed))
                ? new Found(ordered, after)
                : null;
    }

    /**
     * The rotation of queries and of keys and the stores of keys and values that are the next four nodes from one on, without
     * those that are done or computed with it; empty if others are.
     */
    List<Integer> ropeAndStore(int first, List<Integer> with) {
        List<Op> ops = List.of(Op.ROPE, Op.ROPE, Op.SET_ROWS, Op.SET_ROWS);
        List<Integer> nodes = new ArrayList<>();
        for (int node = first; node < graph.nodeCount() && nodes.size() < ops.size(); node++) {
            if (!done[node] && graph.isComputed(node) && !graph.isViewOp(node) && !with.contains(node)) {
                if (graph.op(node) != ops.get(nodes.size())) {
                    return List.of();
                }
                nodes.add(node);
            }
        }
        return nodes.size() == ops.size() ? nodes : List.of();
    }

    /**
     * The node that alone reads a result which need not be written, as it is or through views; {@link Graph#NO_ID} if there is
     * none.
     */
    int readerThroughViews(int node) {
        if (!relations.isInternal(node)) {
            return Graph.NO_ID;
        }
        int found = Graph.NO_ID;
        List<Integer> open = new ArrayList<>(relations.readers(node));
        for (int i = 0; i < open.size(); i++) {
            int reader = open.get(i);
            if (graph.isViewOp(reader)) {
                if (graph.isOutput(reader) || graph.isReadLater(reader)) {
                    return Graph.NO_ID;
                }
                relations.readers(reader).stream()
                        .filter(next -> !open.contains(next))
                        .forEach(open::add);
            } else if (found != Graph.NO_ID) {
                return Graph.NO_ID;
            } else {
                found = reader;
            }
        }
        return found;
    }
}
