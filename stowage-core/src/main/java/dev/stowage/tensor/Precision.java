package dev.stowage.tensor;

/** How exact the sums of a matrix product or of an attention must be. */
public enum Precision {
    /** Whatever is fastest on the device, half precision included. */
    DEFAULT,
    /** At least that of 32-bit floats. */
    F32
}
