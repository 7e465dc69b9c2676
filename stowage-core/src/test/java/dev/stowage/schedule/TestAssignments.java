package dev.stowage.schedule;

import dev.stowage.schedule.pass.AssignmentTable;

/** Assignments for tests of the passes, which are in a package of their own. */
public final class TestAssignments {

    private TestAssignments() {}

    public static Assignment of(AssignmentTable table) {
        return new Assignment(table.graph(), table);
    }
}
