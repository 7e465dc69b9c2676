package dev.stowage.cuda.driver;

/** The size of a grid or of a block. */
public record Dim3(int x, int y, int z) {

    /** One-dimensional. */
    public static Dim3 of(int x) {
        return new Dim3(x, 1, 1);
    }
}
