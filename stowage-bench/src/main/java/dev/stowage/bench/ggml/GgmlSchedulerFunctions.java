package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of ggml that spread a graph over several backends and run it there. */
public final class GgmlSchedulerFunctions {

    private final MethodHandle create;
    private final MethodHandle free;
    private final MethodHandle reset;
    private final MethodHandle split;
    private final MethodHandle reserve;
    private final MethodHandle allocate;
    private final MethodHandle compute;
    private final MethodHandle synchronize;
    private final MethodHandle splitCount;
    private final MethodHandle copyCount;
    private final MethodHandle bufferSize;
    private final MethodHandle assign;
    private final MethodHandle backendOf;
    private final MethodHandle allocateBuffer;
    private final MethodHandle setUsage;

    GgmlSchedulerFunctions(NativeLibrary base) {
        create = base.function(
                "ggml_backend_sched_new", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_BOOLEAN, JAVA_BOOLEAN);
        free = base.function("ggml_backend_sched_free", null, ADDRESS);
        reset = base.function("ggml_backend_sched_reset", null, ADDRESS);
        split = base.function("ggml_backend_sched_split_graph", null, ADDRESS, ADDRESS);
        reserve = base.function("ggml_backend_sched_reserve", JAVA_BOOLEAN, ADDRESS, ADDRESS);
        allocate = base.function("ggml_backend_sched_alloc_graph", JAVA_BOOLEAN, ADDRESS, ADDRESS);
        compute = base.function("ggml_backend_sched_graph_compute_async", JAVA_INT, ADDRESS, ADDRESS);
        synchronize = base.function("ggml_backend_sched_synchronize", null, ADDRESS);
        splitCount = base.function("ggml_backend_sched_get_n_splits", JAVA_INT, ADDRESS);
        copyCount = base.function("ggml_backend_sched_get_n_copies", JAVA_INT, ADDRESS);
        bufferSize = base.function("ggml_backend_sched_get_buffer_size", JAVA_LONG, ADDRESS, ADDRESS);
        assign = base.function("ggml_backend_sched_set_tensor_backend", null, ADDRESS, ADDRESS, ADDRESS);
        backendOf = base.function("ggml_backend_sched_get_tensor_backend", ADDRESS, ADDRESS, ADDRESS);
        allocateBuffer = base.function("ggml_backend_buft_alloc_buffer", ADDRESS, ADDRESS, JAVA_LONG);
        setUsage = base.function("ggml_backend_buffer_set_usage", null, ADDRESS, JAVA_INT);
    }

    /** A scheduler over arrays of {@code count} backends and kinds of memory, for graphs of so many tensors. */
    public MemorySegment create(
            MemorySegment backends,
            MemorySegment types,
            int count,
            long graphSize,
            boolean isPipelined,
            boolean offloads) {
        try {
            return (MemorySegment) create.invokeExact(backends, types, count, graphSize, isPipelined, offloads);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void free(MemorySegment scheduler) {
        try {
            free.invokeExact(scheduler);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void reset(MemorySegment scheduler) {
        try {
            reset.invokeExact(scheduler);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void split(MemorySegment scheduler, GgmlGraph graph) {
        try {
            split.invokeExact(scheduler, graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    boolean reserve(MemorySegment scheduler, GgmlGraph graph) {
        try {
            return (boolean) reserve.invokeExact(scheduler, graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public boolean allocate(MemorySegment scheduler, GgmlGraph graph) {
        try {
            return (boolean) allocate.invokeExact(scheduler, graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Runs a graph and returns ggml's status, which is 0 if all went well. */
    public int compute(MemorySegment scheduler, GgmlGraph graph) {
        try {
            return (int) compute.invokeExact(scheduler, graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void synchronize(MemorySegment scheduler) {
        try {
            synchronize.invokeExact(scheduler);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public int splitCount(MemorySegment scheduler) {
        try {
            return (int) splitCount.invokeExact(scheduler);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public int copyCount(MemorySegment scheduler) {
        try {
            return (int) copyCount.invokeExact(scheduler);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public long bufferSize(MemorySegment scheduler, MemorySegment backend) {
        try {
            return (long) bufferSize.invokeExact(scheduler, backend);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void assign(MemorySegment scheduler, GgmlTensor tensor, MemorySegment backend) {
        try {
            assign.invokeExact(scheduler, tensor.struct(), backend);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The backend a tensor is on, or the null address. */
    public MemorySegment backendOf(MemorySegment scheduler, GgmlTensor tensor) {
        try {
            return (MemorySegment) backendOf.invokeExact(scheduler, tensor.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** A buffer of that kind of memory. */
    public MemorySegment allocateBuffer(MemorySegment type, long bytes) {
        try {
            return (MemorySegment) allocateBuffer.invokeExact(type, bytes);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Says what a buffer is for, in ggml's number for it. */
    public void setUsage(MemorySegment buffer, int usage) {
        try {
            setUsage.invokeExact(buffer, usage);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
