package dev.stowage.schedule.search;

import dev.stowage.schedule.pass.AssignmentTable;

/** Evaluates candidate assignments of movable units to devices: the time of a run, and whether memory suffices. */
public interface CandidateEvaluator {

    /** The predicted time of a run with every unit on the given device, in nanoseconds. */
    long nanos(int[] devices);

    /** The device that would need more memory than it has, or {@link AssignmentTable#NONE}. */
    int overfull(int[] devices);

    /** How many times were evaluated, which bounds a search reproducibly. */
    int evaluations();
}
