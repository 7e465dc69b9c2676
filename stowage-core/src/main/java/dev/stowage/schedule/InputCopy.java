package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;

/**
 * One copy that a run makes before a split.
 *
 * @param source the tensor as its own device has it
 * @param copy what it is copied to
 * @param producer the backend the source is on
 */
record InputCopy(BoundTensor source, BoundTensor copy, Backend producer) {}
