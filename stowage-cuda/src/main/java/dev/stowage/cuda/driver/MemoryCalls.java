package dev.stowage.cuda.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The functions of the CUDA driver for memory and transfers. */
@SuppressWarnings("restricted") // pinned memory is an address
abstract class MemoryCalls implements Driver {

    private static final int PORTABLE_HOST_MEMORY = 1;

    @Override
    public MemoryInfo memGetInfo(Context context) {
        NativeCall.enter(context);
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment free = scope.allocate(JAVA_LONG);
            MemorySegment total = scope.allocate(JAVA_LONG);
            NativeCall.check("cuMemGetInfo", () -> (int) CudaFunctions.MEM_GET_INFO.invokeExact(free, total));
            return new MemoryInfo(free.get(JAVA_LONG, 0), total.get(JAVA_LONG, 0));
        }
    }

    @Override
    public long memAlloc(Context context, long bytes) {
        NativeCall.enter(context);
        return NativeCall.ask("cuMemAlloc", r -> (int) CudaFunctions.MEM_ALLOC.invokeExact(r, bytes));
    }

    @Override
    public void memFree(Context context, long address) {
        NativeCall.enter(context);
        NativeCall.check("cuMemFree", () -> (int) CudaFunctions.MEM_FREE.invokeExact(address));
    }

    @Override
    public MemorySegment memHostAlloc(Context context, long bytes) {
        NativeCall.enter(context);
        long address = NativeCall.ask(
                "cuMemHostAlloc", r -> (int) CudaFunctions.MEM_HOST_ALLOC.invokeExact(r, bytes, PORTABLE_HOST_MEMORY));
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public void memFreeHost(Context context, MemorySegment memory) {
        NativeCall.enter(context);
        NativeCall.check("cuMemFreeHost", () -> (int) CudaFunctions.MEM_FREE_HOST.invokeExact(memory));
    }

    @Override
    public void memcpyHtoDAsync(Context context, long target, long hostSource, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemcpyHtoDAsync", (int)
                    CudaFunctions.MEMCPY_HTOD_ASYNC.invokeExact(target, hostSource, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpyHtoDAsync", e);
        }
    }

    @Override
    public void memcpyDtoHAsync(Context context, long hostTarget, long source, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemcpyDtoHAsync", (int)
                    CudaFunctions.MEMCPY_DTOH_ASYNC.invokeExact(hostTarget, source, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpyDtoHAsync", e);
        }
    }

    @Override
    public void memcpyDtoDAsync(Context context, long target, long source, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemcpyAsync", (int)
                    CudaFunctions.MEMCPY_ASYNC.invokeExact(target, source, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpyAsync", e);
        }
    }

    @Override
    public void memcpy2DAsync(
            Context context,
            boolean toDevice,
            long target,
            long targetStride,
            long source,
            long sourceStride,
            long rowBytes,
            long rows,
            Stream stream) {
        NativeCall.enter(context);
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment copy =
                    Structs.memcpy2D(scope, toDevice, target, targetStride, source, sourceStride, rowBytes, rows);
            NativeCall.require(
                    "cuMemcpy2DAsync", (int) CudaFunctions.MEMCPY_2D_ASYNC.invokeExact(copy, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpy2DAsync", e);
        }
    }

    @Override
    public void memsetD8Async(Context context, long address, byte value, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemsetD8Async", (int)
                    CudaFunctions.MEMSET_D8_ASYNC.invokeExact(address, value, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemsetD8Async", e);
        }
    }
}
