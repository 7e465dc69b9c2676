package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of ggml that give tensors memory of the caller's and run graphs on the processor. */
public final class GgmlBackendFunctions {

    private final MethodHandle open;
    private final MethodHandle setThreads;
    private final MethodHandle close;
    private final MethodHandle supports;
    private final MethodHandle compute;
    private final MethodHandle bufferOver;
    private final MethodHandle freeBuffer;
    private final MethodHandle place;
    private final MethodHandle placeView;

    GgmlBackendFunctions(NativeLibrary base, NativeLibrary cpu) {
        open = cpu.function("ggml_backend_cpu_init", ADDRESS);
        setThreads = cpu.function("ggml_backend_cpu_set_n_threads", null, ADDRESS, JAVA_INT);
        close = base.function("ggml_backend_free", null, ADDRESS);
        supports = base.function("ggml_backend_supports_op", JAVA_BOOLEAN, ADDRESS, ADDRESS);
        compute = base.function("ggml_backend_graph_compute", JAVA_INT, ADDRESS, ADDRESS);
        bufferOver = base.function("ggml_backend_cpu_buffer_from_ptr", ADDRESS, ADDRESS, JAVA_LONG);
        freeBuffer = base.function("ggml_backend_buffer_free", null, ADDRESS);
        place = base.function("ggml_backend_tensor_alloc", JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
        placeView = base.function("ggml_backend_view_init", JAVA_INT, ADDRESS);
    }

    /** Opens the processor with so many threads. */
    public MemorySegment open(int threads) {
        try {
            MemorySegment backend = (MemorySegment) open.invokeExact();
            setThreads.invokeExact(backend, threads);
            return backend;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void close(MemorySegment backend) {
        try {
            close.invokeExact(backend);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public boolean supports(MemorySegment backend, GgmlTensor node) {
        try {
            return (boolean) supports.invokeExact(backend, node.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Runs a graph and returns ggml's status, which is 0 if all went well. */
    public int compute(MemorySegment backend, GgmlGraph graph) {
        try {
            return (int) compute.invokeExact(backend, graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** A buffer over memory of the caller's, which has to outlive it. */
    public MemorySegment bufferOver(MemorySegment bytes) {
        try {
            return (MemorySegment) bufferOver.invokeExact(bytes, bytes.byteSize());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void freeBuffer(MemorySegment buffer) {
        try {
            freeBuffer.invokeExact(buffer);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Puts a tensor that is not a view at an address within a buffer. */
    public int place(MemorySegment buffer, GgmlTensor tensor, MemorySegment address) {
        try {
            return (int) place.invokeExact(buffer, tensor.struct(), address);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Puts a view into the memory of its source. */
    public int placeView(GgmlTensor view) {
        try {
            return (int) placeView.invokeExact(view.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
