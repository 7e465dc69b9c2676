package dev.stowage.cuda.memory;

import java.lang.foreign.MemorySegment;

/** Properties of host memory that transfers depend on. */
public final class HostSegments {

    /** A thread that owns no arena: memory that it may access, any thread may. */
    private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

    private HostSegments() {}

    /** Whether any thread may access a segment, so that it can be read or written later, by whichever thread waits. */
    public static boolean isShared(MemorySegment segment) {
        return segment.isAccessibleBy(ANY_THREAD);
    }
}
