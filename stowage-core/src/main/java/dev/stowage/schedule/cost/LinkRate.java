package dev.stowage.schedule.cost;

import dev.stowage.error.InvalidPlanException;
import java.util.concurrent.TimeUnit;

/**
 * The rate of a link between two devices.
 *
 * @param latencyNanos the fixed time of every copy
 * @param bytesPerSecond the bandwidth
 */
public record LinkRate(double latencyNanos, double bytesPerSecond) {

    /** @throws InvalidPlanException if the latency is negative or the bandwidth not positive */
    public LinkRate {
        if (!(latencyNanos >= 0)
                || !Double.isFinite(latencyNanos)
                || !(bytesPerSecond > 0)
                || !Double.isFinite(bytesPerSecond)) {
            throw new InvalidPlanException("a link cannot take " + latencyNanos + " ns and carry " + bytesPerSecond
                    + " bytes per second: take at least 0 and more than 0");
        }
    }

    public static LinkRate of(double bytesPerSecond) {
        return new LinkRate(0, bytesPerSecond);
    }

    public LinkRate withLatencyNanos(double newLatencyNanos) {
        return new LinkRate(newLatencyNanos, bytesPerSecond);
    }

    /** The time of a copy, rounded up. */
    public long nanos(double bytes) {
        return (long) Math.ceil(latencyNanos) + (long) Math.ceil(bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    }

    LinkRate then(LinkRate next) {
        return new LinkRate(latencyNanos + next.latencyNanos, 1 / (1 / bytesPerSecond + 1 / next.bytesPerSecond));
    }
}
