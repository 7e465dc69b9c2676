package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlLibrary;
import java.lang.foreign.MemorySegment;

/** A kind of memory as ggml knows it: the processor's own, or one that only measures. */
public sealed interface GgmlBufferType permits GgmlCpuType, GgmlMeasuringType {

    /** The processor's memory, which ggml really takes. */
    static GgmlBufferType cpu(GgmlLibrary library) {
        return new GgmlCpuType(library);
    }

    String name();

    /** The power of two every tensor's address is a multiple of. */
    long alignment();

    /** ggml's handle. */
    MemorySegment address();

    /** Which chunk of a planned buffer that buffer of this type is. */
    int chunk(MemorySegment buffer);
}
