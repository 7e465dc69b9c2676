package dev.stowage.schedule.pass;

import dev.stowage.device.OpSupport;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is reported when no device takes a tensor: which one, and why each device refuses it. */
final class Refusals {

    private Refusals() {}

    /** That no device can compute a node, with the reason of each. */
    static UnsupportedOpException nobodyRuns(AssignmentTable board, int id) {
        Map<String, String> refusals = new LinkedHashMap<>();
        for (int number = 0; number < board.devices().count(); number++) {
            refusals.put(board.devices().name(number), refusal(board, id, number));
        }
        return UnsupportedOpException.of(describeWithSources(board.graph(), id), refusals);
    }

    private static String refusal(AssignmentTable board, int id, int number) {
        Graph graph = board.graph();
        OpSupport answer = graph.op(id) == Op.NONE
                ? OpSupport.yes()
                : board.devices().device(number).supports(graph.tensor(id));
        if (!answer.isSupported()) {
            return answer.reason();
        }
        String memory = board.memoryName(board.root(id));
        return memory.isEmpty() ? "it could run it" : "it does not reach " + memory + ", where the result is stored";
    }

    /** That no device reads the memory a leaf is stored in. */
    static InvalidPlanException nobodyReads(AssignmentTable board, int id) {
        return new InvalidPlanException(board.graph().tensor(id).describe() + " is stored in " + board.memoryName(id)
                + ", which none of the devices " + board.devices()
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
