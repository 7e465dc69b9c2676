package dev.stowage.cuda.recording;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.recording.FakeStream.Work;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/** The functions of a {@link RecordingDriver} that are about memory. */
abstract class RecordingTransfers extends RecordingState {

    RecordingTransfers(long capacity) {
        super(capacity);
    }

    @Override
    public final synchronized MemoryInfo memGetInfo(Context context) {
        call("cuMemGetInfo");
        return new MemoryInfo(memory.capacity() - memory.used(), memory.capacity());
    }

    @Override
    public final synchronized long memAlloc(Context context, long bytes) {
        call("cuMemAlloc");
        return memory.allocate(bytes).address();
    }

    @Override
    public final synchronized void memFree(Context context, long address) {
        release("cuMemFree", () -> {
            finishBeforeFreeing(address, memory.piece(address).byteSize());
            memory.free(address);
        });
    }

    @Override
    public final synchronized MemorySegment memHostAlloc(Context context, long bytes) {
        call("cuMemHostAlloc");
        return hostMemory.allocate(bytes);
    }

    @Override
    public final synchronized void memFreeHost(Context context, MemorySegment freed) {
        release("cuMemFreeHost", () -> {
            finishBeforeFreeing(freed.address(), freed.byteSize());
            hostMemory.free(freed.address());
        });
    }

    /** Waits as the real one does, but notes that somebody relies on it. */
    private void finishBeforeFreeing(long address, long bytes) {
        for (FakeStream stream : handles.all(FakeStream.class)) {
            if (stream.touches(address, bytes) && !faults.hasInjected()) {
                violations.add(bytes + " bytes were freed while work on them was queued");
            }
            stream.finish();
        }
    }

    @Override
    public final synchronized void memcpyHtoDAsync(
            Context context, long target, long hostSource, long bytes, Stream stream) {
        call("cuMemcpyHtoDAsync");
        copy(() -> memory.at(target, bytes), target, () -> hostMemory.at(hostSource, bytes), hostSource, bytes, stream);
    }

    @Override
    public final synchronized void memcpyDtoHAsync(
            Context context, long hostTarget, long source, long bytes, Stream stream) {
        call("cuMemcpyDtoHAsync");
        copy(() -> hostMemory.at(hostTarget, bytes), hostTarget, () -> memory.at(source, bytes), source, bytes, stream);
    }

    @Override
    public final synchronized void memcpyDtoDAsync(
            Context context, long target, long source, long bytes, Stream stream) {
        call("cuMemcpyAsync");
        copy(() -> memory.at(target, bytes), target, () -> memory.at(source, bytes), source, bytes, stream);
    }

    private void copy(
            Supplier<MemorySegment> target,
            long targetAddress,
            Supplier<MemorySegment> source,
            long sourceAddress,
            long bytes,
            Stream stream) {
        submit(stream, new Work(() -> target.get().copyFrom(source.get()), targetAddress, bytes, sourceAddress, bytes));
    }

    @Override
    public final synchronized void memcpy2DAsync(
            Context context,
            boolean toDevice,
            long target,
            long targetStride,
            long source,
            long sourceStride,
            long rowBytes,
            long rows,
            Stream stream) {
        call("cuMemcpy2DAsync");
        if (targetStride < rowBytes || sourceStride < rowBytes) {
            throw new CudaException("cuMemcpy2DAsync", 1, "a pitch is less than the width");
        }
        FakeMemory to = toDevice ? memory : hostMemory;
        FakeMemory from = toDevice ? hostMemory : memory;
        for (long row = 0; row < rows; row++) {
            long targetRow = target + row * targetStride;
            long sourceRow = source + row * sourceStride;
            copy(
                    () -> to.at(targetRow, rowBytes),
                    targetRow,
                    () -> from.at(sourceRow, rowBytes),
                    sourceRow,
                    rowBytes,
                    stream);
        }
    }

    @Override
    public final synchronized void memsetD8Async(Context context, long address, byte value, long bytes, Stream stream) {
        call("cuMemsetD8Async");
        submit(stream, new Work(() -> memory.at(address, bytes).fill(value), address, bytes));
    }
}
