package dev.stowage.testkit.simulated;

import dev.stowage.error.DeviceException;
import dev.stowage.tensor.Tensor;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * The simulated time that transfers and ops of a device take.
 *
 * @param latencyNanos what every transfer takes, however small
 * @param bytesPerSecond how fast bytes cross the link after that
 * @param computeNanos what a node takes to compute
 */
public record Costs(long latencyNanos, double bytesPerSecond, ToLongFunction<Tensor> computeNanos) {

    private static final Costs FREE = new Costs(0, Double.POSITIVE_INFINITY, _ -> 0);

    /**
     * @throws DeviceException if the latency is negative or no bytes would ever arrive
     */
    public Costs {
        Objects.requireNonNull(computeNanos);
        if (latencyNanos < 0 || !(bytesPerSecond > 0)) {
            throw DeviceException.of(
                    "simulated",
                    "costs",
                    "a link cannot take " + latencyNanos + " ns and carry " + bytesPerSecond
                            + " bytes per second: take at least 0 and more than 0");
        }
    }

    /** Nothing takes any time. */
    public static Costs free() {
        return FREE;
    }

    /** The same with another link. */
    public Costs withLink(long newLatencyNanos, double newBytesPerSecond) {
        return new Costs(newLatencyNanos, newBytesPerSecond, computeNanos);
    }

    /** The same with other times for the nodes. */
    public Costs withCompute(ToLongFunction<Tensor> newComputeNanos) {
        return new Costs(latencyNanos, bytesPerSecond, newComputeNanos);
    }

    /** The time it takes so many bytes to cross the link. */
    public long transferNanos(long bytes) {
        return latencyNanos + (long) Math.ceil(bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    }

    /** The time it takes so many bytes to get from this device to another: over the slower of the two links. */
    long transferNanos(long bytes, Costs other) {
        return Math.max(transferNanos(bytes), other.transferNanos(bytes));
    }
}
