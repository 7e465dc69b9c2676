package dev.stowage.bench.ggml.graph;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.bench.ggml.GgmlFunctions;
import dev.stowage.bench.ggml.NativeLibrary;
import dev.stowage.bench.ggml.Upcalls;
import dev.stowage.memory.BufferType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/**
 * What ggml calls to learn the rules of a {@link GgmlMeasuringType} and to get buffers of it, with the C structs that
 * say so. Nothing that is called from there may throw, which would end the process.
 */
final class MeasuringCallbacks {

    /** The size of a tensor is not among the rules: without that function ggml takes the bytes the tensor has. */
    private static final StructLayout TYPE = MemoryLayout.structLayout(
            ADDRESS.withName("get_name"),
            ADDRESS.withName("alloc_buffer"),
            ADDRESS.withName("get_alignment"),
            ADDRESS.withName("get_max_size"),
            ADDRESS.withName("get_alloc_size"),
            ADDRESS.withName("is_host"),
            ADDRESS.withName("device"),
            ADDRESS.withName("context"));

    /** The functions of a buffer: how it is freed, where it begins, and nine that planning never calls. */
    private static final StructLayout BUFFER = MemoryLayout.structLayout(
            ADDRESS.withName("free_buffer"),
            ADDRESS.withName("get_base"),
            MemoryLayout.sequenceLayout(9, ADDRESS).withName("others"));

    /** Where every buffer claims to begin. Nothing is ever read or written there. */
    private static final MemorySegment BASE = MemorySegment.ofAddress(1L << 40);

    private final BufferType rules;
    private final MethodHandle newBuffer;
    private final MemorySegment name;
    private final MemorySegment typeStruct;
    private final MemorySegment bufferStruct;
    private final List<Long> openBuffers = new ArrayList<>();

    MeasuringCallbacks(GgmlFunctions functions, BufferType rules, Arena arena) {
        this.rules = rules;
        this.newBuffer =
                functions.library().function("ggml_backend_buffer_init", ADDRESS, ADDRESS, BUFFER, ADDRESS, JAVA_LONG);
        this.name = arena.allocateFrom(rules.name());
        this.typeStruct = arena.allocate(TYPE);
        this.bufferStruct = arena.allocate(BUFFER);
        Upcalls upcalls = new Upcalls(MethodHandles.lookup(), this, arena);
        set(TYPE, typeStruct, "get_name", upcalls.to("typeName", ADDRESS, ADDRESS));
        set(TYPE, typeStruct, "alloc_buffer", upcalls.to("allocate", ADDRESS, ADDRESS, JAVA_LONG));
        set(TYPE, typeStruct, "get_alignment", upcalls.to("alignment", JAVA_LONG, ADDRESS));
        set(TYPE, typeStruct, "get_max_size", upcalls.to("maxSize", JAVA_LONG, ADDRESS));
        set(TYPE, typeStruct, "is_host", upcalls.to("isHost", JAVA_BOOLEAN, ADDRESS));
        set(BUFFER, bufferStruct, "free_buffer", upcalls.toVoid("freeBuffer", ADDRESS));
        set(BUFFER, bufferStruct, "get_base", upcalls.to("base", ADDRESS, ADDRESS));
    }

    private static void set(StructLayout layout, MemorySegment struct, String field, MemorySegment function) {
        struct.set(ADDRESS, layout.byteOffset(PathElement.groupElement(field)), function);
    }

    /** ggml's handle of the type. */
    MemorySegment typeStruct() {
        return typeStruct;
    }

    /** The addresses of the buffers that are not freed, in the order in which they were asked for. */
    List<Long> openBuffers() {
        return openBuffers;
    }

    MemorySegment typeName(MemorySegment type) {
        return name;
    }

    MemorySegment allocate(MemorySegment type, long size) {
        try {
            MemorySegment buffer = (MemorySegment) newBuffer.invokeExact(type, bufferStruct, MemorySegment.NULL, size);
            openBuffers.add(buffer.address());
            return buffer;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    long alignment(MemorySegment type) {
        return rules.alignment();
    }

    long maxSize(MemorySegment type) {
        return rules.maxBufferSize();
    }

    boolean isHost(MemorySegment type) {
        return rules.isHost();
    }

    void freeBuffer(MemorySegment buffer) {
        openBuffers.remove(buffer.address());
    }

    MemorySegment base(MemorySegment buffer) {
        return BASE;
    }
}
