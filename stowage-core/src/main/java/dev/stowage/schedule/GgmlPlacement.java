package dev.stowage.schedule;

/** Places nodes by ggml's assignment passes. */
final class GgmlPlacement implements Placement {

    static final GgmlPlacement INSTANCE = new GgmlPlacement();

    private GgmlPlacement() {}

    @Override
    public String name() {
        return "ggml";
    }
}
