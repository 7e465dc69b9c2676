package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.tensor.Tensor;

/**
 * One copy that a run makes before a split.
 *
 * @param source the tensor as its own device has it
 * @param copy what it is copied to
 * @param producer the backend the source is on
 * @param isInput whether the caller writes the source, so that it must be copied before the call returns
 * @param mayBeUnderWay whether the source may still be computed although it counts as an input
 * @param hasExperts whether it holds the weights of experts, of which only those in use are copied
 */
record Crossing(
        Tensor source, Tensor copy, Backend producer, boolean isInput, boolean mayBeUnderWay, boolean hasExperts) {}
