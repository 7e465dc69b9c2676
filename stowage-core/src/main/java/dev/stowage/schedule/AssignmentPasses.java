package dev.stowage.schedule;

/** Runs ggml's four assignment passes one after the other, and a fifth that repairs what those leave undone. */
public final class AssignmentPasses {

    private AssignmentPasses() {}

    /** Assigns every tensor a device; what the caller has assigned stays. */
    public static void run(Board board, boolean offloadsOps) {
        SeedPass.run(board, offloadsOps);
        ExpandPass.run(board);
        SettlePass.run(board);
        FillPass.run(board);
        MendPass.run(board);
    }
}
