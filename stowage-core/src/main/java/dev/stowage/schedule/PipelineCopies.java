package dev.stowage.schedule;

/** Which input copies exist once per run in flight. The order of calls is the same for both. */
public enum PipelineCopies {
    /** All of them, as in ggml. This memory is not shared with other tensors. */
    EVERYWHERE,

    /**
     * Only those that the host writes while an earlier run may read them: inputs of a device's first split, on a device
     * with events. All others are ordered by the device's stream or an existing wait, so one copy suffices, in shared
     * memory.
     */
    WHERE_NEEDED
}
