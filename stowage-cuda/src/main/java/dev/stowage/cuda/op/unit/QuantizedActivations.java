package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;

/**
 * Activations that one launch publishes and others read: int8 with a scale for every 16 of them, in the order in which
 * products with units read them, and the sum of squares of every 16 from which the reader computes the factor of an RMS
 * norm. Published are the values times the weight of that norm; the squares are those of the values themselves.
 *
 * @param values 1536 bytes for every 1024 activations of a vector
 * @param squares a float for every 16 activations of a vector
 * @param k the activations of a vector
 * @param vectors how many vectors there are
 */
public record QuantizedActivations(Scratch values, Scratch squares, long k, int vectors) {

    private static final int STEP = 1024;
    private static final int STEP_BYTES = 1536;
    private static final int GROUP = 16;
    private static final int THREADS = 256;

    /** Memory for vectors of {@code k} activations, a multiple of 32. */
    public static QuantizedActivations allocate(LaunchSink out, long k, int vectors) {
        long groups = Math.ceilDiv(k, GROUP);
        return new QuantizedActivations(
                out.scratch(vectors * vectorBytes(k)), out.scratch(vectors * groups * Float.BYTES), k, vectors);
    }

    /** The bytes of a vector. */
    static long vectorBytes(long k) {
        return Math.ceilDiv(k, STEP) * STEP_BYTES;
    }

    /** Publishes vectors of floats that are {@code stride} floats apart, times a norm's weight, where there is one. */
    public void publish(Launch.Argument floats, long stride, Launch.Argument norm, LaunchSink out) {
        Launch launch = Launch.of("unit_publish")
                .grid(Math.ceilDiv(k, STEP), vectors, 1)
                .block(THREADS)
                .argument(floats)
                .i64(stride)
                .argument(norm)
                .i32(k)
                .pointer(values)
                .pointer(squares);
        out.add(out.gpu().isHopper() ? launch.dependent() : launch);
    }
}
