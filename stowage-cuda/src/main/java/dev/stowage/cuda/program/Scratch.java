package dev.stowage.cuda.program;

/**
 * Device memory that launches use beside tensors. It is live from the first launch that gets it to the last; its place
 * is planned once the program is complete.
 */
public final class Scratch {

    private final long bytes;
    private int first = Integer.MAX_VALUE;
    private int last = -1;

    Scratch(long bytes) {
        this.bytes = bytes;
    }

    public long bytes() {
        return bytes;
    }

    /** Says that the launch of that number uses it. */
    void usedBy(int launch) {
        first = Math.min(first, launch);
        last = Math.max(last, launch);
    }

    int first() {
        return first;
    }

    int last() {
        return last;
    }
}
