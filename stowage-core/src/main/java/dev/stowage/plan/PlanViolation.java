package dev.stowage.plan;

import dev.stowage.graph.Graph;

/**
 * A rule that a plan breaks.
 *
 * @param kind which rule
 * @param tensor the id of the tensor it is about, {@link Graph#NO_ID} if it is about a chunk
 * @param message what is wrong, naming tensors and numbers
 */
public record PlanViolation(Kind kind, int tensor, String message) {

    public enum Kind {
        /** A tensor that needs bytes has no place. */
        MISSING,
        /** A tensor that must not be planned has a place: a view, or one with memory of its own. */
        UNWANTED,
        /** A tensor was given fewer bytes than it takes in that kind of memory. */
        TOO_SMALL,
        /** A tensor is placed in another kind of memory than requested. */
        WRONG_BUFFER,
        /** An offset is not a multiple of the buffer's alignment. */
        MISALIGNED,
        /** A tensor reaches beyond its chunk, or names one that is not there. */
        OUT_OF_CHUNK,
        /** A chunk is larger than the largest buffer, although it holds more than one tensor at a time. */
        CHUNK_TOO_LARGE,
        /** A result is said to take the place of an operand, and does not or must not. */
        IN_PLACE,
        /** Two tensors that are needed at the same time share a byte. */
        OVERLAP,
        /** The bytes of an output that is a view are written again before the run ends. */
        OUTPUT_OVERWRITTEN
    }

    /** A violation whose message begins with the name of the tensor. */
    static PlanViolation of(Kind kind, Graph graph, int id, String what) {
        return new PlanViolation(kind, id, name(graph, id) + " " + what);
    }

    /** The name of a tensor in messages, also for invalid ids. */
    static String name(Graph graph, int id) {
        if (id < 0 || id >= graph.size()) {
            return "tensor " + id + ", which is not in the graph";
        }
        return (graph.isNode(id) ? "node " + id + " '" : "'") + graph.label(id) + "'";
    }
}
