package dev.stowage.rpc.server;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that all clients of a server have together. Thread-safe. */
final class ServerMemory {

    private final AtomicLong inUse = new AtomicLong();
    private final AtomicLong heap = new AtomicLong();
    private final long heapLimit;

    /** No memory yet, and at most that much of the Java heap. */
    ServerMemory(long heapLimit) {
        this.heapLimit = heapLimit;
    }

    void add(long size) {
        inUse.addAndGet(size);
    }

    /** The bytes that clients have now. */
    long inUse() {
        return inUse.get();
    }

    long heapInUse() {
        return heap.get();
    }

    long heapLimit() {
        return heapLimit;
    }

    boolean tryTakeHeap(long size) {
        if (heap.addAndGet(size) <= heapLimit) {
            return true;
        }
        heap.addAndGet(-size);
        return false;
    }

    void giveBackHeap(long size) {
        heap.addAndGet(-size);
    }
}
