package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/** The functions of ggml that allocate memory of a buffer type, fill it, and list the buffer types. */
public final class GgmlMemoryFunctions {

    private static final int USAGE_WEIGHTS = 1;
    private static final String EXTRA_TYPES = "ggml_backend_dev_get_extra_bufts";

    private final MethodHandle allocate;
    private final MethodHandle allocationSize;
    private final MethodHandle setUsage;
    private final MethodHandle write;
    private final MethodHandle device;
    private final MethodHandle registryOf;
    private final MethodHandle procedure;

    GgmlMemoryFunctions(NativeLibrary base) {
        allocate = base.function("ggml_backend_buft_alloc_buffer", ADDRESS, ADDRESS, JAVA_LONG);
        allocationSize = base.function("ggml_backend_buft_get_alloc_size", JAVA_LONG, ADDRESS, ADDRESS);
        setUsage = base.function("ggml_backend_buffer_set_usage", null, ADDRESS, JAVA_INT);
        write = base.function("ggml_backend_tensor_set", null, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG);
        device = base.function("ggml_backend_get_device", ADDRESS, ADDRESS);
        registryOf = base.function("ggml_backend_dev_backend_reg", ADDRESS, ADDRESS);
        procedure = base.function("ggml_backend_reg_get_proc_address", ADDRESS, ADDRESS, ADDRESS);
    }

    /** A buffer of so many bytes, or the null address if there is not enough memory. */
    public MemorySegment allocate(MemorySegment bufferType, long size) {
        try {
            return (MemorySegment) allocate.invokeExact(bufferType, size);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The bytes a tensor takes in memory of that kind. */
    public long allocationSize(MemorySegment bufferType, GgmlTensor tensor) {
        try {
            return (long) allocationSize.invokeExact(bufferType, tensor.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void useForWeights(MemorySegment buffer) {
        try {
            setUsage.invokeExact(buffer, USAGE_WEIGHTS);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Writes all bytes of a tensor, which its memory may store in an order of its own. */
    public void write(GgmlTensor tensor, MemorySegment bytes) {
        try {
            write.invokeExact(tensor.struct(), bytes, 0L, bytes.byteSize());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The kinds of memory that a backend has in addition to the plain one. */
    @SuppressWarnings("restricted")
    public List<MemorySegment> extraTypes(MemorySegment backend) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment of = (MemorySegment) device.invokeExact(backend);
            MemorySegment registry = (MemorySegment) registryOf.invokeExact(of);
            MemorySegment function = (MemorySegment) procedure.invokeExact(registry, arena.allocateFrom(EXTRA_TYPES));
            List<MemorySegment> types = new ArrayList<>();
            if (function.equals(MemorySegment.NULL)) {
                return types;
            }
            MethodHandle list = Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.of(ADDRESS, ADDRESS));
            MemorySegment array = (MemorySegment) list.invokeExact(of);
            if (!array.equals(MemorySegment.NULL)) {
                MemorySegment all = array.reinterpret(Long.MAX_VALUE);
                for (int i = 0; !all.getAtIndex(ADDRESS, i).equals(MemorySegment.NULL); i++) {
                    types.add(all.getAtIndex(ADDRESS, i));
                }
            }
            return types;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
