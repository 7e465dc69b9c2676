package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import java.util.stream.IntStream;

/** Runs passes 1 to 4 of {@code ggml_backend_sched_split_graph}, and a pass that repairs what those leave undone. */
public final class AssignmentPasses {

    private AssignmentPasses() {}

    /** Assigns every tensor a device; assignments by the caller stay. */
    public static void run(AssignmentTable table, boolean offloadsOps) {
        SeedPass.run(table, offloadsOps);
        boolean isAnyOpen = ExpandPass.run(table);
        if (isAnyOpen || !table.hasSeparateMemories()) {
            ResolvePass.run(table);
        }
        boolean hasOpenLeaves = hasOpenLeaves(table);
        FillPass.run(table, hasOpenLeaves);
        RepairPass.run(table, hasOpenLeaves);
    }

    /** Whether a leaf or an external has no device yet. */
    private static boolean hasOpenLeaves(AssignmentTable table) {
        Graph graph = table.graph();
        return IntStream.range(graph.nodeCount(), graph.size()).anyMatch(id -> !table.isAssigned(id));
    }
}
