package dev.stowage.tensor;

/** How {@link Op#UPSCALE} finds the value of a point between elements. */
public enum InterpolationMode {
    /** The nearest element. */
    NEAREST,
    /** Weighted by distance between the two neighbours in each direction. */
    BILINEAR,
    /** By a cubic through the four neighbours in each direction. */
    BICUBIC
}
