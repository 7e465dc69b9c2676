package dev.stowage.profile;

/**
 * The time that a device spent on one kind of op.
 *
 * @param device its name
 * @param op the op with what its speed depends on, or several with {@code +} between them that were computed as one
 * @param calls how often it ran
 * @param nanos how long that took altogether
 * @param share which part of the time of all ops that is, from 0 to 1
 */
public record OpTime(String device, String op, long calls, long nanos, double share) {}
