package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;

/** Which elements of a row {@link Op#ROPE} rotates as a pair, and by which position. */
public enum RopeMode {
    /** Neighbours: elements {@code 2i} and {@code 2i + 1}. */
    NORMAL(0),
    /** Halves: elements {@code i} and {@code i + dimensions / 2}. */
    NEOX(2),
    /** Halves, with four positions per token, each for its own {@linkplain RopeSections section} of the row. */
    MROPE(8),
    /** As {@link #MROPE} for images: the halves are those of the whole row. */
    VISION(24),
    /** As {@link #MROPE} with the sections interleaved. */
    IMROPE(40);

    private static final int SECTIONED = 8;

    private final int code;

    RopeMode(int code) {
        this.code = code;
    }

    /** The number that stands for this mode in ggml's C interface. */
    public int code() {
        return code;
    }

    /** Whether there are four positions per token and sections of the row. */
    public boolean usesSections() {
        return (code & SECTIONED) != 0;
    }

    /**
     * The mode with that number in ggml's C interface.
     *
     * @throws InvalidTensorException if there is none
     */
    public static RopeMode ofCode(int code) {
        for (RopeMode mode : values()) {
            if (mode.code == code) {
                return mode;
            }
        }
        throw new InvalidTensorException("unknown rope mode " + code + "; known are 0, 2, 8, 24 and 40");
    }
}
