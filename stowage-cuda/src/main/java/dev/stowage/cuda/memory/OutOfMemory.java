package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver.MemoryInfo;
import dev.stowage.error.AllocationException;

/** What a caller is told when memory is not to be had, with the numbers. */
final class OutOfMemory {

    private OutOfMemory() {}

    /** Whether an allocation failed for want of memory; sizes that no GPU has are refused as invalid. */
    static boolean isMeantBy(CudaException e) {
        return e.code() == CudaErrors.OUT_OF_MEMORY || e.code() == CudaErrors.INVALID_VALUE;
    }

    static AllocationException ofDevice(DeviceContext device, String kind, long bytes, CudaException e) {
        long free = -1;
        String numbers = "";
        try {
            MemoryInfo info = device.driver().memGetInfo(device.handle());
            free = info.free();
            numbers = info.free() + " of " + info.total() + " bytes of " + device.name()
                    + " are free, maybe in several pieces; ";
        } catch (CudaException unknown) {
            e.addSuppressed(unknown);
        }
        return new AllocationException(
                "cannot allocate " + bytes + " bytes of " + kind + ": " + numbers
                        + "close what is not needed, or place less on " + device.name(),
                kind,
                bytes,
                free,
                e);
    }

    static AllocationException ofHost(String kind, long bytes, CudaException e) {
        return new AllocationException(
                "cannot allocate " + bytes + " bytes of " + kind
                        + ": the machine has too little memory that can be pinned left",
                kind,
                bytes,
                -1,
                e);
    }
}
