package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of ggml that plan graphs and give them memory. */
public final class GgmlAllocatorFunctions {

    private final MethodHandle cpuBufferType;
    private final MethodHandle typeName;
    private final MethodHandle typeAlignment;
    private final MethodHandle newAllocator;
    private final MethodHandle freeAllocator;
    private final MethodHandle reserve;
    private final MethodHandle allocate;
    private final MethodHandle allocatorBufferSize;
    private final MethodHandle bufferBase;
    private final MethodHandle bufferType;

    GgmlAllocatorFunctions(NativeLibrary base) {
        cpuBufferType = base.function("ggml_backend_cpu_buffer_type", ADDRESS);
        typeName = base.function("ggml_backend_buft_name", ADDRESS, ADDRESS);
        typeAlignment = base.function("ggml_backend_buft_get_alignment", JAVA_LONG, ADDRESS);
        newAllocator = base.function("ggml_gallocr_new_n", ADDRESS, ADDRESS, JAVA_INT);
        freeAllocator = base.function("ggml_gallocr_free", null, ADDRESS);
        reserve = base.function("ggml_gallocr_reserve_n", JAVA_BOOLEAN, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
        allocate = base.function("ggml_gallocr_alloc_graph", JAVA_BOOLEAN, ADDRESS, ADDRESS);
        allocatorBufferSize = base.function("ggml_gallocr_get_buffer_size", JAVA_LONG, ADDRESS, JAVA_INT);
        bufferBase = base.function("ggml_backend_buffer_get_base", ADDRESS, ADDRESS);
        bufferType = base.function("ggml_backend_buffer_get_type", ADDRESS, ADDRESS);
    }

    public MemorySegment cpuBufferType() {
        try {
            return (MemorySegment) cpuBufferType.invokeExact();
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    @SuppressWarnings("restricted")
    public String name(MemorySegment bufferType) {
        try {
            return ((MemorySegment) typeName.invokeExact(bufferType))
                    .reinterpret(Long.MAX_VALUE)
                    .getString(0);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public long alignment(MemorySegment bufferType) {
        try {
            return (long) typeAlignment.invokeExact(bufferType);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** A graph allocator for an array of {@code count} buffer types. */
    public MemorySegment newAllocator(MemorySegment bufferTypes, int count) {
        try {
            return (MemorySegment) newAllocator.invokeExact(bufferTypes, count);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void freeAllocator(MemorySegment allocator) {
        try {
            freeAllocator.invokeExact(allocator);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Plans the graph and takes the memory; null arrays put everything into the first buffer. */
    public boolean reserve(
            MemorySegment allocator, GgmlGraph graph, MemorySegment nodeBuffers, MemorySegment leafBuffers) {
        try {
            return (boolean) reserve.invokeExact(allocator, graph.struct(), nodeBuffers, leafBuffers);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Puts every tensor of the graph into its place. */
    public boolean allocate(MemorySegment allocator, GgmlGraph graph) {
        try {
            return (boolean) allocate.invokeExact(allocator, graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public long bufferSize(MemorySegment allocator, int buffer) {
        try {
            return (long) allocatorBufferSize.invokeExact(allocator, buffer);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The address of the first byte of a buffer. */
    public long base(MemorySegment buffer) {
        try {
            return ((MemorySegment) bufferBase.invokeExact(buffer)).address();
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The type a buffer was made by. */
    public MemorySegment type(MemorySegment buffer) {
        try {
            return (MemorySegment) bufferType.invokeExact(buffer);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
