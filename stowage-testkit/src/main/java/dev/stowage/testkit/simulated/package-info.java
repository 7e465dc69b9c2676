/**
 * Devices without hardware. {@link dev.stowage.testkit.simulated.SimulatedDevice} works like an accelerator, with memory of
 * its own and a thread as its stream, and can inject faults; {@link dev.stowage.testkit.recording.RecordingDevice} has no
 * memory, computes nothing and records every call; {@link dev.stowage.testkit.simulated.NullDevice} accepts or refuses
 * all work and does nothing.
 */
package dev.stowage.testkit.simulated;
