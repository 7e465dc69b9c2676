package dev.stowage.device;

/** What kind of hardware a device is. */
public enum DeviceType {
    /** The processor, working in the machine's memory. */
    CPU,
    /** A graphics processor with memory of its own. */
    GPU,
    /** A graphics processor that shares the machine's memory. */
    INTEGRATED_GPU,
    /** Anything that helps the processor with some ops and shares its memory. */
    ACCELERATOR
}
