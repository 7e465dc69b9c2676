package dev.stowage.schedule.search;

import dev.stowage.schedule.pass.AssignmentTable;

/**
 * Answers what a search asks about assignments of movable units to devices: what a run would take, and whether memory
 * suffices.
 */
public interface CandidateEvaluator {

    /** The predicted time of a run with every unit on the given device, in nanoseconds. */
    long nanos(int[] devices);

    /** The device that would need more memory than it has, or {@link AssignmentTable#NONE}. */
    int overfull(int[] devices);

    /** How often a time was asked for, by which a search can be bounded identically on every machine. */
    int asked();
}
