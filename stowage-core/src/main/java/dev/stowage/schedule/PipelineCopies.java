package dev.stowage.schedule;

/** Which crossing tensors get as many copies as there are runs in flight. The order of calls is the same for both. */
public enum PipelineCopies {
    /** All of them, as in ggml. None of this memory is ever used for anything else. */
    EVERYWHERE,

    /**
     * Only those that can be written while an earlier run may still read them: what the host writes for a device's first
     * split of a run, on a device with events. Everything else is ordered by the device's own stream of work or by a wait
     * that is made anyway, so one copy does, and its memory is shared like any other.
     */
    WHERE_NEEDED
}
