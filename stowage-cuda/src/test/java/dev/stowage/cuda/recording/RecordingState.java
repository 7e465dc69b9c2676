package dev.stowage.cuda.recording;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.recording.FakeStream.Work;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a {@link RecordingDriver} has: memory, handles, faults, and what it has seen. */
abstract class RecordingState implements Driver {

    private static final long TICK_NANOS = 1000;

    final FakeMemory memory;
    final FakeMemory hostMemory = new FakeMemory("cuMemHostAlloc", Long.MAX_VALUE);
    final Faults faults = new Faults();
    final Handles handles = new Handles();
    final Map<String, KernelBody> bodies = new HashMap<>();
    final List<String> launches = new ArrayList<>();
    final List<String> violations = new ArrayList<>();
    int contexts;
    long clock;

    RecordingState(long capacity) {
        this.memory = new FakeMemory("cuMemAlloc", capacity);
    }

    /** Has launches of a kernel do something. */
    public final synchronized void body(String kernel, KernelBody body) {
        bodies.put(kernel, body);
    }

    /** Has the call of that number, counted from 0, fail. */
    public final synchronized void failCall(int number, int code) {
        faults.failCall(number, code);
    }

    /** Has a call of a function fail, after so many that do not. */
    public final synchronized void failFunction(String function, int skip, int code) {
        faults.failFunction(function, skip, code);
    }

    /** The functions called so far. */
    public final synchronized List<String> calls() {
        return faults.calls();
    }

    /** The kernels launched so far, directly or as parts of captured graphs when those are launched. */
    public final synchronized List<String> launches() {
        return List.copyOf(launches);
    }

    /** Memory that was freed while work on it was queued, and the like. */
    public final synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** What is taken and was not given back; empty where nothing is. */
    public final synchronized String leaks() {
        return (memory.count() == 0 ? "" : memory.count() + " pieces of device memory ")
                + (hostMemory.count() == 0 ? "" : hostMemory.count() + " pieces of pinned memory ")
                + (contexts == 0 ? "" : contexts + " contexts ")
                + handles.leaks();
    }

    /** Device memory as a segment, for bodies of kernels. */
    public final synchronized MemorySegment deviceMemory(long address) {
        return memory.piece(address);
    }

    /** Copies pinned memory to device memory, as a kernel does; fails as a GPU does if either is not taken. */
    public final synchronized void copyToDevice(long hostSource, long target, long bytes) {
        memory.at(target, bytes).copyFrom(hostMemory.at(hostSource, bytes));
    }

    /** Fails as a GPU does if memory of a kernel is not taken: address and length, one after the other. */
    public final synchronized void requireTaken(long... ranges) {
        for (int i = 0; i < ranges.length; i += 2) {
            memory.at(ranges[i], ranges[i + 1]);
        }
    }

    /** Counts a call, which may be to fail. */
    final void call(String function) {
        faults.call(function);
    }

    /** Gives something back, even if the call is to fail. */
    final void release(String function, Runnable release) {
        if (faults.stickyError() == 0) {
            release.run();
        }
        call(function);
    }

    /** Puts work into a stream; a failure of it is found by whatever is called next. */
    final void submit(Stream stream, Work work) {
        handles.get(stream.handle(), FakeStream.class)
                .add(new Work(
                        () -> {
                            clock += TICK_NANOS;
                            try {
                                if (faults.stickyError() == 0) {
                                    work.body().run();
                                }
                            } catch (CudaException e) {
                                violations.add(String.valueOf(e.getMessage()));
                                faults.fail(e.code());
                            }
                        },
                        work.ranges()));
    }

    /** Waits, and reports what failed meanwhile. */
    final void await(String function, Runnable waiting) {
        call(function);
        waiting.run();
        if (faults.stickyError() != 0) {
            throw new CudaException(function, faults.stickyError(), "CUDA_ERROR_" + faults.stickyError());
        }
    }
}
