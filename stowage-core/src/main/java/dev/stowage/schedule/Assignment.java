package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.AssignmentTable;
import java.util.Optional;

/** A device for every tensor of a graph, by id, with the reason. Immutable. */
public final class Assignment {

    private final Graph graph;
    private final AssignmentTable table;

    /** The result of the passes; the table must not change any more. */
    Assignment(Graph graph, AssignmentTable table) {
        this.graph = graph;
        this.table = table;
    }

    Assignment forGraph(Graph identical) {
        return new Assignment(identical, table);
    }

    public Graph graph() {
        return graph;
    }

    public DeviceSet devices() {
        return table.devices();
    }

    public int device(int id) {
        return table.device(id);
    }

    /** Whether a tensor, or its view source, had memory of its own when it was assigned. */
    boolean isPlaced(int id) {
        return table.isPlaced(id);
    }

    public Reason reason(int id) {
        int because = table.because(id);
        return new Reason(
                table.rule(id), because == Graph.NO_ID ? Optional.empty() : Optional.of(graph.tensor(because)));
    }
}
