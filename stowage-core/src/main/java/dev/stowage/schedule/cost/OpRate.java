package dev.stowage.schedule.cost;

import dev.stowage.error.InvalidPlanException;
import java.util.concurrent.TimeUnit;

/**
 * How fast a device does one kind of work: a node takes a fixed time, and then as long as the longer of two things takes
 * that go on side by side, computing and moving bytes.
 *
 * @param nanosPerNode what every node takes, however small
 * @param nanosPerFlop what a multiplication or addition takes
 * @param nanosPerByte what a byte read or written takes
 */
public record OpRate(double nanosPerNode, double nanosPerFlop, double nanosPerByte) {

    /**
     * @throws InvalidPlanException if a number is negative, infinite or none
     */
    public OpRate {
        for (double number : new double[] {nanosPerNode, nanosPerFlop, nanosPerByte}) {
            if (!(number >= 0) || !Double.isFinite(number)) {
                throw new InvalidPlanException("work cannot take " + number + " ns: take 0 or more");
            }
        }
    }

    /**
     * So many multiplications and additions, and so many bytes, per second.
     *
     * @throws InvalidPlanException if one of them is not more than 0
     */
    public static OpRate of(double flopsPerSecond, double bytesPerSecond) {
        if (!(flopsPerSecond > 0) || !(bytesPerSecond > 0)) {
            throw new InvalidPlanException("no device does " + flopsPerSecond + " flops and moves " + bytesPerSecond
                    + " bytes per second: both must be more than 0");
        }
        double second = TimeUnit.SECONDS.toNanos(1);
        return new OpRate(0, second / flopsPerSecond, second / bytesPerSecond);
    }

    /** The same with another fixed time for every node. */
    public OpRate withNanosPerNode(double newNanosPerNode) {
        return new OpRate(newNanosPerNode, nanosPerFlop, nanosPerByte);
    }

    public double nanos(NodeWork work) {
        return nanosPerNode + Math.max(work.flops() * nanosPerFlop, work.bytes() * nanosPerByte);
    }
}
