package dev.stowage.cpu.kernel.window;

/**
 * A kernel that slides over images with floats: its extent along width, height and depth, and where the channels and
 * images are. What has fewer dimensions has axes of one element.
 *
 * @param channelStride bytes from channel to channel
 * @param imageStride bytes from image to image
 */
public record WindowGeometry(Axis x, Axis y, Axis z, long channels, long channelStride, long imageStride) {

    /**
     * One dimension of the images.
     *
     * @param size elements under the kernel
     * @param input elements of the image
     * @param positions places the kernel stops at
     * @param bytes from element to element
     */
    public record Axis(long size, long input, long positions, long stride, long padding, long dilation, long bytes) {

        /** A dimension that is not there. */
        public static final Axis NONE = new Axis(1, 1, 1, 1, 0, 1, 0);

        /** The element of the image at a tap of the kernel; outside the image in the padding. */
        public long under(long position, long tap) {
            return position * stride + tap * dilation - padding;
        }

        /** The first position at which a tap is at or after the first element. */
        public long firstInside(long tap) {
            return Math.clamp(Math.ceilDiv(padding - tap * dilation, stride), 0, positions);
        }

        /** The first position at which a tap is after the last element. */
        public long endInside(long tap) {
            return Math.clamp(Math.ceilDiv(input + padding - tap * dilation, stride), 0, positions);
        }
    }

    /** How many elements are under the kernel. */
    public long taps() {
        return channels * z.size * y.size * x.size;
    }

    /** How many places the kernel stops at in an image. */
    public long places() {
        return z.positions * y.positions * x.positions;
    }
}
