package dev.stowage.cpu.program;

import dev.stowage.graph.Graph;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fusions that are switched on, in the order in which they are tried. */
public final class Fusions {

    private final List<Fusion> fusions;

    public Fusions(List<Fusion> fusions) {
        this.fusions = List.copyOf(fusions);
    }

    /** The names that {@code without-fusions} takes to switch each of them off. */
    public List<String> names() {
        return fusions.stream().map(Fusion::name).toList();
    }

    /** Starts on a graph. */
    Pass on(Graph graph, ProgramBuilder program) {
        return new Pass(graph, program);
    }

    /** One pass over a graph. */
    final class Pass {

        private final Graph graph;
        private final ProgramBuilder program;
        private final @Nullable Chain chain;

        private Pass(Graph graph, ProgramBuilder program) {
            this.graph = graph;
            this.program = program;
            this.chain = fusions.isEmpty() ? null : new Chain(graph, program, readers(graph));
        }

        /** Prepares a node, and those behind it that were fused with it; tells how many that were in all. */
        int prepareAt(int node) {
            if (chain != null) {
                for (Fusion fusion : fusions) {
                    int taken = fusion.prepare(graph, node, chain);
                    if (taken > 0) {
                        return taken;
                    }
                }
            }
            program.prepare(node);
            return 1;
        }
    }

    /** How many slots read each node, or are views of it. */
    private static int[] readers(Graph graph) {
        int[] readers = new int[graph.size()];
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID) {
                    readers[source]++;
                }
            }
            if (graph.viewSource(node) != Graph.NO_ID) {
                readers[graph.viewSource(node)]++;
            }
        }
        return readers;
    }
}
