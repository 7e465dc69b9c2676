package dev.stowage.cpu.machine;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory between pages that nothing may touch, at the end or at the beginning of what is between them: machine code that
 * reads or writes a byte too many ends the process, and with it the tests.
 */
public final class GuardedMemory implements AutoCloseable {

    private static final long PAGE = 4096;

    private final List<MemorySegment> mapped = new ArrayList<>();

    /** New memory of zeros; {@code atEnd} says on which side the guard is right beside it. */
    public MemorySegment allocate(long bytes, boolean atEnd) {
        long inner = Math.ceilDiv(bytes, PAGE) * PAGE;
        MemorySegment all = Pages.map(inner + 2 * PAGE);
        mapped.add(all);
        Pages.forbid(all.asSlice(0, PAGE));
        Pages.forbid(all.asSlice(PAGE + inner, PAGE));
        return all.asSlice(atEnd ? PAGE + inner - bytes : PAGE, bytes);
    }

    @Override
    public void close() {
        mapped.forEach(Pages::unmap);
    }
}
