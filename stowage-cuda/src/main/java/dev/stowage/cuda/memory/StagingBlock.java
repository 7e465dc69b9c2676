package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.Driver.EventHandle;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A piece of pinned memory that transfers of a stream go through, filled from its first byte on. Bytes that are read from
 * the device wait here until the stream has got that far; then they are copied to where the caller wants them. Used by
 * one thread at a time; using it again makes no garbage.
 */
final class StagingBlock {

    private static final long ALIGNMENT = 64;

    private final MemorySegment memory;
    private final EventHandle event;
    private long used;
    private boolean submitted;

    /** Reads under way: where the bytes are here, where they go, and how many. */
    private @Nullable MemorySegment[] targets = new MemorySegment[8];

    private long[] places = new long[3 * 8];
    private int reads;

    StagingBlock(MemorySegment memory, EventHandle event) {
        this.memory = memory;
        this.event = event;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Is recorded after the last transfer of a block that is full. */
    EventHandle event() {
        return event;
    }

    boolean isSubmitted() {
        return submitted;
    }

    /** Says that the event has been recorded. */
    void submitted() {
        submitted = true;
    }

    long free() {
        return memory.byteSize() - used;
    }

    /** Takes bytes, of which there are enough, and returns their offset. */
    long take(long bytes) {
        long at = used;
        used = Math.min(memory.byteSize(), Math.ceilDiv(used + bytes, ALIGNMENT) * ALIGNMENT);
        return at;
    }

    long address(long offset) {
        return memory.address() + offset;
    }

    /** Has bytes from {@code offset} on copied to a segment, once they have arrived. */
    void expect(long offset, MemorySegment target, long targetOffset, long bytes) {
        if (reads == targets.length) {
            targets = Arrays.copyOf(targets, 2 * reads);
            places = Arrays.copyOf(places, 3 * targets.length);
        }
        targets[reads] = target;
        places[3 * reads] = offset;
        places[3 * reads + 1] = targetOffset;
        places[3 * reads + 2] = bytes;
        reads++;
    }

    /** Copies what has arrived, and is empty then, even if a target is gone. */
    void complete() {
        int count = reads;
        int read = 0;
        try {
            for (; read < count; read++) {
                MemorySegment target = targets[read];
                if (target != null) {
                    MemorySegment.copy(memory, places[3 * read], target, places[3 * read + 1], places[3 * read + 2]);
                }
            }
        } finally {
            clear();
        }
    }

    /** Forgets everything. */
    void clear() {
        Arrays.fill(targets, 0, reads, null);
        reads = 0;
        used = 0;
        submitted = false;
    }
}
