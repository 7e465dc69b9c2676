package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;

/**
 * How many pairs of a row are rotated by each of the four positions of a token, for the {@linkplain RopeMode modes}
 * that have four: its time, its row and its column in an image, and one more.
 */
public record RopeSections(int time, int height, int width, int extra) {

    /** For the modes without sections. */
    public static final RopeSections NONE = new RopeSections(0, 0, 0, 0);

    public RopeSections {
        if (time < 0 || height < 0 || width < 0 || extra < 0) {
            throw new InvalidTensorException(
                    "a rope section is negative in [" + time + ", " + height + ", " + width + ", " + extra + "]");
        }
    }
}
