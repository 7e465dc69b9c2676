package dev.stowage.cpu.machine;

import java.lang.foreign.MemorySegment;

/**
 * The permission to use the registers of AMX. They are so large that Linux reserves memory for them only in processes that ask
 * for it; in others the first instruction that writes one ends the process.
 */
final class MatrixPermission {

    private static final long ARCH_PRCTL = 158;
    private static final long REQUEST_PERMISSION = 0x1023;
    private static final long MATRIX_DATA = 18;

    private MatrixPermission() {}

    /** Asks the system, and says whether it agrees. It does not on processors without AMX, and versions before 5.16 never do. */
    static boolean request() {
        MemorySegment syscall = NativeCall.function("syscall");
        return NativeCall.call(syscall, ARCH_PRCTL, REQUEST_PERMISSION, MATRIX_DATA, 0, 0, 0) == 0;
    }
}
