package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;

/**
 * A copy that a run makes before a split.
 *
 * @param source the tensor on its own device
 * @param copy the tensor it is copied to
 * @param producer the backend of the source
 * @param mayBeAsync whether the two devices can order the copy themselves, without the host
 */
record InputCopy(BoundTensor source, BoundTensor copy, Backend producer, boolean mayBeAsync) {}
