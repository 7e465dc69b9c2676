package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Discards ggml's messages. ggml keeps the function pointer, so it lives as long as the process. */
final class GgmlLog {

    private static final MemorySegment NOWHERE = new Upcalls(MethodHandles.lookup(), new GgmlLog(), Arena.global())
            .toVoid("hear", JAVA_INT, ADDRESS, ADDRESS);

    private GgmlLog() {}

    /** Called by ggml, from any of its threads. */
    @SuppressWarnings({"unused", "UnusedMethod", "UnusedVariable"})
    private void hear(int level, MemorySegment text, MemorySegment user) {
        // Nothing is to be done with it.
    }

    static void silence(NativeLibrary base) {
        try {
            base.function("ggml_log_set", null, ADDRESS, ADDRESS).invokeExact(NOWHERE, MemorySegment.NULL);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
