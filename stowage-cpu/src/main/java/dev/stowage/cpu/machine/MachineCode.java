package dev.stowage.cpu.machine;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Code in executable memory of its own. The memory is writable first, and once the code is in it executable, for good: at no
 * time is it both. It is freed when this is closed, which must not happen while the code runs.
 *
 * <p>Code that is wrong ends the process. It gets addresses and counts, and nothing checks them any more.
 */
public final class MachineCode implements AutoCloseable {

    private static final AtomicLong MAPPED = new AtomicLong();

    private static final long PAGE = 4096;

    private final MemorySegment start;
    private final long mapped;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private MachineCode(MemorySegment start, long mapped) {
        this.start = start;
        this.mapped = mapped;
    }

    /**
     * Makes code executable.
     *
     * @throws UnsupportedOperationException if the system does not let us, or is none that this package knows
     */
    public static MachineCode of(Assembler assembler) {
        return of(assembler.toBytes());
    }

    static MachineCode of(byte[] code) {
        Platform.require();
        long bytes = Math.ceilDiv(Math.max(1, code.length), PAGE) * PAGE;
        MemorySegment pages = Pages.map(bytes);
        MAPPED.addAndGet(bytes);
        MachineCode result = new MachineCode(pages, bytes);
        try {
            MemorySegment.copy(MemorySegment.ofArray(code), 0, pages, 0, code.length);
            Pages.makeExecutable(pages);
            return result;
        } catch (RuntimeException | Error e) {
            result.close();
            throw e;
        }
    }

    /** The bytes of memory that hold code now, in this process. */
    public static long mappedBytes() {
        return MAPPED.get();
    }

    /** The bytes of memory that this code occupies: whole pages. */
    public long bytes() {
        return mapped;
    }

    /**
     * Runs the code with arguments in RDI, RSI, RDX, RCX, R8 and R9.
     *
     * @return what it leaves in RAX
     */
    public long call(long a, long b, long c, long d, long e, long f) {
        if (isClosed.getPlain()) {
            throw new IllegalStateException("the code is closed, and its memory freed");
        }
        return NativeCall.call(start, a, b, c, d, e, f);
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            Pages.unmap(start);
            MAPPED.addAndGet(-mapped);
        }
    }
}
