package dev.stowage.schedule;

/** ggml's four assignment passes, one after the other, and one for what those leave undone. */
final class GgmlPlacement implements Placement {

    static final GgmlPlacement INSTANCE = new GgmlPlacement();

    private GgmlPlacement() {}

    @Override
    public String name() {
        return "ggml";
    }

    static void place(Board board, boolean offloadsOps) {
        SeedPass.run(board, offloadsOps);
        ExpandPass.run(board);
        SettlePass.run(board);
        FillPass.run(board);
        MendPass.run(board);
    }
}
