package dev.stowage.schedule;

/** Assignments for tests of the passes, which are in a package of their own. */
public final class TestAssignments {

    private TestAssignments() {}

    public static Assignment of(Board board) {
        return Assignment.of(board);
    }
}
