package dev.stowage.schedule.pass;

import dev.stowage.device.OpSupport;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import java.util.LinkedHashMap;
import java.util.Map;

/** Errors for tensors that no device accepts, with the reason of each device. */
final class Refusals {

    private Refusals() {}

    /** No device runs a node. */
    static UnsupportedOpException unsupported(AssignmentTable table, int id) {
        Map<String, String> refusals = new LinkedHashMap<>();
        for (int number = 0; number < table.devices().count(); number++) {
            refusals.put(table.devices().name(number), refusal(table, id, number));
        }
        return UnsupportedOpException.of(describeWithSources(table.graph(), id), refusals);
    }

    private static String refusal(AssignmentTable table, int id, int number) {
        Graph graph = table.graph();
        OpSupport answer = graph.op(id) == Op.NONE
                ? OpSupport.yes()
                : table.devices().device(number).supports(graph.tensor(id));
        if (!answer.isSupported()) {
            return answer.reason();
        }
        String memory = table.memoryName(graph.root(id));
        return memory.isEmpty() ? "it could run it" : "it does not reach " + memory + ", where the result is stored";
    }

    /** No device reads the memory of a leaf. */
    static InvalidPlanException unreadable(AssignmentTable table, int id) {
        return new InvalidPlanException(table.graph().tensor(id).describe() + " is stored in " + table.memoryName(id)
                + ", which none of the devices " + table.devices()
                + " reads: place it in memory of one of them");
    }

    private static String describeWithSources(Graph graph, int id) {
        StringBuilder text = new StringBuilder(graph.tensor(id).describe());
        String before = " of ";
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            if (graph.sourceAt(slot) != Graph.NO_ID) {
                text.append(before).append(graph.tensor(graph.sourceAt(slot)).describe());
                before = ", ";
            }
        }
        return text.toString();
    }
}
