package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlAllocatorFunctions;
import dev.stowage.bench.ggml.GgmlLibrary;
import java.lang.foreign.MemorySegment;

/** The processor's memory. It has no largest buffer, so a plan in it has one chunk. */
final class GgmlCpuType implements GgmlBufferType {

    private final MemorySegment address;
    private final String name;
    private final long alignment;

    GgmlCpuType(GgmlLibrary library) {
        GgmlAllocatorFunctions functions = library.functions().allocators();
        this.address = functions.cpuBufferType();
        this.name = functions.name(address);
        this.alignment = functions.alignment(address);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long alignment() {
        return alignment;
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public int chunk(MemorySegment buffer) {
        return 0;
    }

    @Override
    public String toString() {
        return name;
    }
}
