package dev.stowage.cpu.machine;

import java.lang.foreign.MemorySegment;

/** Pages of memory from Linux, and what may be done with them. */
final class Pages {

    private static final long READ = 1;
    private static final long WRITE = 2;
    private static final long EXECUTE = 4;
    private static final long PRIVATE_ANONYMOUS = 0x22;
    private static final long NO_FILE = -1;

    private static final MemorySegment MMAP = NativeCall.function("mmap");
    private static final MemorySegment MPROTECT = NativeCall.function("mprotect");
    private static final MemorySegment MUNMAP = NativeCall.function("munmap");

    private Pages() {}

    /** New pages that can be read and written. */
    @SuppressWarnings("restricted") // the system says how large the memory is at the address it gives
    static MemorySegment map(long bytes) {
        long address = NativeCall.call(MMAP, 0, bytes, READ | WRITE, PRIVATE_ANONYMOUS, NO_FILE, 0);
        if (address == -1) {
            throw new UnsupportedOperationException("the system refuses " + bytes + " bytes of memory (mmap)");
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Lets pages be read and executed, and no longer written. */
    static void makeExecutable(MemorySegment pages) {
        protect(pages, READ | EXECUTE, "executable");
    }

    /** Lets every access to pages fail. */
    static void forbid(MemorySegment pages) {
        protect(pages, 0, "inaccessible");
    }

    private static void protect(MemorySegment pages, long access, String what) {
        // The result is an int: only its lower half means something.
        int result = (int) NativeCall.call(MPROTECT, pages.address(), pages.byteSize(), access, 0, 0, 0);
        if (result != 0) {
            throw new UnsupportedOperationException("the system does not let memory become " + what + " (mprotect)");
        }
    }

    static void unmap(MemorySegment pages) {
        NativeCall.call(MUNMAP, pages.address(), pages.byteSize(), 0, 0, 0, 0);
    }
}
