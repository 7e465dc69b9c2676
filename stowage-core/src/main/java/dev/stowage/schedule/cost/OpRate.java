package dev.stowage.schedule.cost;

import dev.stowage.error.InvalidPlanException;
import java.util.concurrent.TimeUnit;

/**
 * The rate of a device for one kind of work: a fixed time per node, plus the longer of computing and moving bytes,
 * which overlap (roofline model).
 *
 * @param nanosPerNode the fixed time per node
 * @param nanosPerFlop the time of a multiplication or addition
 * @param nanosPerByte the time of a byte read or written
 */
public record OpRate(double nanosPerNode, double nanosPerFlop, double nanosPerByte) {

    /** @throws InvalidPlanException if a number is negative, infinite or NaN */
    public OpRate {
        for (double number : new double[] {nanosPerNode, nanosPerFlop, nanosPerByte}) {
            if (!(number >= 0) || !Double.isFinite(number)) {
                throw new InvalidPlanException("work cannot take " + number + " ns: take 0 or more");
            }
        }
    }

    /**
     * A rate from flops and bytes per second.
     *
     * @throws InvalidPlanException if one of them is not positive
     */
    public static OpRate of(double flopsPerSecond, double bytesPerSecond) {
        if (!(flopsPerSecond > 0) || !(bytesPerSecond > 0)) {
            throw new InvalidPlanException("no device does " + flopsPerSecond + " flops and moves " + bytesPerSecond
                    + " bytes per second: both must be more than 0");
        }
        double second = TimeUnit.SECONDS.toNanos(1);
        return new OpRate(0, second / flopsPerSecond, second / bytesPerSecond);
    }

    public OpRate withNanosPerNode(double newNanosPerNode) {
        return new OpRate(newNanosPerNode, nanosPerFlop, nanosPerByte);
    }

    public double nanos(NodeWork work) {
        return nanosPerNode + Math.max(work.flops() * nanosPerFlop, work.bytes() * nanosPerByte);
    }
}
