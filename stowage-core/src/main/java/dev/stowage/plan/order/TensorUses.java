package dev.stowage.plan.order;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.tight.InPlaceChains;
import dev.stowage.plan.tight.InPlaceChoice;
import java.util.Arrays;

/**
 * Which planned tensors each node reads or writes, directly or through views, and which of them its result could
 * overwrite at their last use; independent of the order.
 */
final class TensorUses {

    private final Graph graph;
    private final Liveness liveness;
    private final InPlaceChains tensors;
    private final IntList[] touched;
    private final IntList[] overwritable;
    private final int[] uses;
    private final int[] lastUser;

    TensorUses(PlanRequest request, InPlaceRules inPlace) {
        this.graph = request.graph();
        this.liveness = Liveness.of(graph);
        this.tensors = InPlaceChains.of(request, liveness, InPlaceRules.none(), InPlaceChoice.FIRST);
        this.touched = IntList.empty(graph.nodeCount());
        this.overwritable = IntList.empty(graph.nodeCount());
        this.uses = new int[graph.size()];
        this.lastUser = new int[graph.size()];
        Arrays.fill(lastUser, Graph.NO_ID);
        for (int node = 0; node < graph.nodeCount(); node++) {
            findTouched(node);
            findOverwritable(node, inPlace);
        }
    }

    private void findTouched(int node) {
        touch(node, node);
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            if (graph.sourceAt(slot) != Graph.NO_ID) {
                touch(node, graph.sourceAt(slot));
            }
        }
    }

    private void touch(int node, int id) {
        int owner = graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id);
        if (tensors.isPlanned(owner) && lastUser[owner] != node) {
            touched[node].add(owner);
            lastUser[owner] = node;
            uses[owner]++;
        }
    }

    private void findOverwritable(int node, InPlaceRules inPlace) {
        for (int i = 0; i < touched[node].size() && begins(node); i++) {
            int owner = touched[node].get(i);
            if (owner != node
                    && !isKept(owner)
                    && tensors.isAsLarge(owner, node)
                    && inPlace.allow(graph, node, owner)) {
                overwritable[node].add(owner);
            }
        }
    }

    /** How many tensors there are, planned or not. */
    int tensors() {
        return graph.size();
    }

    /** The planned tensors that a node reads or writes, each once. */
    IntList touched(int node) {
        return touched[node];
    }

    /** Those of them that the result may overwrite at their last use. */
    IntList overwritable(int node) {
        return overwritable[node];
    }

    /** How many nodes use a planned tensor. */
    int uses(int owner) {
        return uses[owner];
    }

    /** Whether a node is allocated when it runs; views and inputs are not. */
    boolean begins(int node) {
        return tensors.isPlanned(node) && liveness.from(node) == node;
    }

    /** Whether a planned tensor is there before the first node. */
    boolean isThereFromTheStart(int id) {
        return tensors.isPlanned(id) && liveness.from(id) == Liveness.BEFORE;
    }

    /** Whether a planned tensor is kept to the end. */
    boolean isKept(int owner) {
        return liveness.keptTo(owner) == graph.nodeCount();
    }

    /** The bytes a planned tensor takes. */
    long bytes(int owner) {
        return tensors.padded(owner);
    }

    /** The memory of a planned tensor. */
    int memory(int owner) {
        return tensors.memory(owner);
    }
}
