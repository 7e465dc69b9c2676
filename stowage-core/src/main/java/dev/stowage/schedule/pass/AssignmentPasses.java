package dev.stowage.schedule.pass;

/** Runs ggml's four assignment passes one after the other, and a fifth that repairs what those leave undone. */
public final class AssignmentPasses {

    private AssignmentPasses() {}

    /** Assigns every tensor a device; what the caller has assigned stays. */
    public static void run(AssignmentTable board, boolean offloadsOps) {
        SeedPass.run(board, offloadsOps);
        ExpandPass.run(board);
        ResolvePass.run(board);
        FillPass.run(board);
        RepairPass.run(board);
    }
}
