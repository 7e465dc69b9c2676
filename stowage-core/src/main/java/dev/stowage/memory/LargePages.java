package dev.stowage.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Host memory that Linux is asked to keep in large pages, of 2 MiB on most processors. Weights and caches are read from the first
 * byte to the last for every token; in pages of 4 KiB the translation of addresses is the limit then, and not the memory: a
 * plain read can be half as fast. Most distributions give large pages only to those who ask.
 *
 * <pre>
 *   mapped    │ ···· │ 2 MiB │ 2 MiB │ 2 MiB │ 4 KiB │ ···· │
 *                    │ segment: size bytes       │
 *                    its address is a multiple of a large page
 * </pre>
 *
 * Only the bytes of the segment are touched, and all of them are: a buffer takes what its plan says, from the beginning on.
 */
final class LargePages {

    /** Smaller buffers are left to the JDK: they fit into caches, and linking the functions takes milliseconds. */
    static final long LEAST = 16L << 20;

    private static final long PAGE = 2L << 20;

    /** A size at which a sum with an alignment cannot overflow, beyond what any machine has. */
    private static final long MOST = 1L << 56;

    private static final long READ_AND_WRITE = 3;
    private static final long PRIVATE_ANONYMOUS = 0x22;
    private static final long NO_FILE = -1;
    private static final long FAILED = -1;
    private static final long ADVISE_LARGE_PAGES = 14;
    private static final long ADVISE_POPULATE = 23;

    /** Elsewhere the numbers above may mean something else. */
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64");

    private LargePages() {}

    /** The functions of the C library, all as functions of six numbers: linking one takes milliseconds. */
    @SuppressWarnings("restricted") // the process allows it, and arguments are those of the manual
    private static final class Functions {

        private static final MethodHandle MMAP = link("mmap");
        private static final MethodHandle MUNMAP = link("munmap");
        private static final MethodHandle MADVISE = link("madvise");

        private Functions() {}

        private static MethodHandle link(String name) {
            ValueLayout.OfLong number = ValueLayout.JAVA_LONG;
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name),
                    FunctionDescriptor.of(number, number, number, number, number, number, number));
        }

        static long call(MethodHandle function, long a, long b, long c, long d, long e, long f) {
            try {
                return (long) function.invokeExact(a, b, c, d, e, f);
            } catch (RuntimeException | Error failure) {
                throw failure;
            } catch (Throwable failure) {
                throw new AssertionError(failure);
            }
        }
    }

    /** Whether this process may ask, and the system is one that understands. */
    static boolean areKnown() {
        return LargePages.class.getModule().isNativeAccessEnabled()
                && System.getProperty("os.name", "").equals("Linux")
                && ARCHITECTURES.contains(System.getProperty("os.arch", "").toLowerCase(Locale.ROOT));
    }

    /**
     * Zeros, until the arena is closed; empty where the size is not worth it or the system refuses, which says nothing about whether
     * there is memory.
     */
    static Optional<MemorySegment> allocate(long size, long alignment, Arena arena) {
        long start = Math.max(alignment, PAGE);
        if (size < LEAST || size > MOST || start > MOST || !areKnown()) {
            return Optional.empty();
        }
        long mapped = size + start;
        long address = Functions.call(Functions.MMAP, 0, mapped, READ_AND_WRITE, PRIVATE_ANONYMOUS, NO_FILE, 0);
        if (address == FAILED) {
            return Optional.empty();
        }
        MemorySegment segment = owned(address, mapped, start, size, arena);
        advise(segment, ADVISE_LARGE_PAGES);
        if (!advise(segment, ADVISE_POPULATE)) {
            // Linux before 5.14: pages are taken as they are written.
            segment.fill((byte) 0);
        }
        return Optional.of(segment);
    }

    @SuppressWarnings("restricted") // the memory is what the system has just mapped
    private static MemorySegment owned(long address, long mapped, long start, long size, Arena arena) {
        long first = Math.ceilDiv(address, start) * start;
        return MemorySegment.ofAddress(first)
                .reinterpret(size, arena, _ -> Functions.call(Functions.MUNMAP, address, mapped, 0, 0, 0, 0));
    }

    /** Whether the system took an advice. The result is an int: only its lower half means something. */
    private static boolean advise(MemorySegment segment, long advice) {
        return (int) Functions.call(Functions.MADVISE, segment.address(), segment.byteSize(), advice, 0, 0, 0) == 0;
    }
}
