/**
 * Devices that are not there. {@link dev.stowage.testkit.simulated.SimulatedDevice} works like an accelerator, with
 * memory of its own and a thread as its stream, and can be told to fail; {@link
 * dev.stowage.testkit.simulated.RecordingDevice} has no memory, computes nothing and writes down every call.
 */
package dev.stowage.testkit.simulated;
