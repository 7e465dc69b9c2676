package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;

/**
 * Stride, padding and dilation of a kernel along one dimension of its input. The input is padded with zeros at both
 * ends.
 *
 * <pre>
 *   padding 1       0 | a b c d e | 0
 *   kernel of 2,    x . x                 first position
 *   dilation 2,         x . x             one stride (2) further
 * </pre>
 */
public record Window(int stride, int padding, int dilation) {

    /** Step by step, without padding or gaps. */
    public static final Window UNIT = new Window(1, 0, 1);

    public Window {
        if (stride < 1 || padding < 0 || dilation < 1) {
            throw new InvalidTensorException("a window with stride " + stride + ", padding " + padding
                    + " and dilation " + dilation
                    + " cannot slide: stride and dilation are at least 1, padding is at least 0");
        }
    }

    /** A window without gaps between the elements under it. */
    public static Window of(int stride, int padding) {
        return new Window(stride, padding, 1);
    }
}
