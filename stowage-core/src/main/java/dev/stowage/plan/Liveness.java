package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.Arrays;

/**
 * The live range of each tensor of a graph. Times are node numbers; {@link #BEFORE} is before the first node, {@code
 * nodeCount} after the last.
 *
 * <pre>
 *   leaf or input  |=================|            until its last reader
 *   node 3               |===========|            from itself until its last reader
 *   output               |=======================&gt; until after the last node
 * </pre>
 *
 * A view has no live range of its own: reading or writing it counts for its source. A tensor that no node reads is live
 * only at the node that writes it.
 */
public final class Liveness {

    /** The time before the first node runs, when the caller writes the inputs. */
    public static final int BEFORE = -1;

    private final Graph graph;
    private final int[] from;
    private final int[] to;
    private final int[] lastVia;
    private final boolean[] outputThroughView;

    private Liveness(Graph graph) {
        this.graph = graph;
        int size = graph.size();
        this.from = new int[size];
        this.to = new int[size];
        this.lastVia = new int[size];
        this.outputThroughView = new boolean[size];
        Arrays.fill(lastVia, Graph.NO_ID);
        for (int id = 0; id < size; id++) {
            from[id] = graph.isNode(id) && !graph.isInput(id) ? id : BEFORE;
            to[id] = from[id];
        }
        for (int node = 0; node < graph.nodeCount(); node++) {
            touch(node, node);
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) != Graph.NO_ID) {
                    touch(graph.sourceAt(slot), node);
                }
            }
        }
        for (int id = 0; id < size; id++) {
            if (graph.isOutput(id)) {
                int viewSource = graph.viewSource(id);
                if (viewSource == Graph.NO_ID) {
                    to[id] = graph.nodeCount();
                } else {
                    outputThroughView[viewSource] = true;
                }
            }
        }
    }

    private void touch(int id, int node) {
        int owner = graph.root(id);
        to[owner] = node;
        lastVia[owner] = id;
    }

    public static Liveness of(Graph graph) {
        return new Liveness(graph);
    }

    /** The node that writes a tensor, or {@link #BEFORE} for leaves and inputs. */
    public int from(int id) {
        return from[id];
    }

    /** The last node that reads or writes a tensor or a view of it; {@code nodeCount} for an output. */
    public int to(int id) {
        return to[id];
    }

    /**
     * As {@link #to}, and {@code nodeCount} also for the source of an output view. ggml frees such a tensor after the
     * last read of the view, so its bytes may be overwritten before the run ends.
     */
    public int keptTo(int id) {
        return outputThroughView[id] ? graph.nodeCount() : to[id];
    }

    /** The tensor itself or the view of it through which the last node reaches it, or {@link Graph#NO_ID}. */
    public int lastReachedThrough(int id) {
        return lastVia[id];
    }
}
