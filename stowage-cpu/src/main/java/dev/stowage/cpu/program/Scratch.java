package dev.stowage.cpu.program;

/**
 * Memory that the tasks of a node use beside its tensors. Its place is planned once the whole graph is prepared, so a
 * task asks for the address when it runs.
 */
public final class Scratch {

    /** What every part begins at a multiple of. */
    static final long ALIGNMENT = 64;

    private final long bytesPerPart;
    private final int parts;
    private final int from;
    private int to;
    private long address;

    public Scratch(long bytes, int parts, int node) {
        this.bytesPerPart = Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        this.parts = parts;
        this.from = node;
        this.to = node + 1;
    }

    public long bytes() {
        return bytesPerPart * parts;
    }

    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    /** Keeps the bytes until that node has run. */
    void keepThrough(int node) {
        to = Math.max(to, node + 1);
    }

    void placeAt(long newAddress) {
        address = newAddress;
    }

    /** Where it begins; for memory that all threads share. */
    public long address() {
        return address;
    }

    /** Where the part of a thread begins; for memory that each thread has of its own. */
    public long address(int thread) {
        return address + thread * bytesPerPart;
    }
}
