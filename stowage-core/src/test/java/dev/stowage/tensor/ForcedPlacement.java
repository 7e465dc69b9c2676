package dev.stowage.tensor;

/** Places tensors without the checks of a buffer, for tests of the checks that come later. */
public final class ForcedPlacement {

    private ForcedPlacement() {}

    public static void place(Tensor tensor, Storage storage, long offset) {
        tensor.place(storage, offset);
    }
}
