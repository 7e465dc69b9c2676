package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/** The functions of ggml that give a backend threads that stay, and have them rest. */
public final class GgmlThreadFunctions {

    private static final int MOST_THREADS = 512;

    private static final StructLayout PARAMETERS = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(MOST_THREADS, JAVA_BOOLEAN),
            JAVA_INT.withName("n_threads"),
            JAVA_INT.withName("prio"),
            JAVA_INT.withName("poll"),
            JAVA_BOOLEAN.withName("strict_cpu"),
            JAVA_BOOLEAN.withName("paused"),
            MemoryLayout.paddingLayout(2));

    private final MethodHandle defaults;
    private final MethodHandle create;
    private final MethodHandle free;
    private final MethodHandle pause;
    private final MethodHandle resume;
    private final MethodHandle use;

    GgmlThreadFunctions(NativeLibrary base, NativeLibrary cpu) {
        defaults = base.function("ggml_threadpool_params_init", null, ADDRESS, JAVA_INT);
        create = cpu.function("ggml_threadpool_new", ADDRESS, ADDRESS);
        free = cpu.function("ggml_threadpool_free", null, ADDRESS);
        pause = cpu.function("ggml_threadpool_pause", null, ADDRESS);
        resume = cpu.function("ggml_threadpool_resume", null, ADDRESS);
        use = cpu.function("ggml_backend_cpu_set_threadpool", null, ADDRESS, ADDRESS);
    }

    /** So many threads, the caller's among them, with ggml's own settings. */
    public MemorySegment create(int threads) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = arena.allocate(PARAMETERS);
            defaults.invokeExact(parameters, threads);
            return (MemorySegment) create.invokeExact(parameters);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Has a backend use these threads. */
    public void use(MemorySegment backend, MemorySegment pool) {
        try {
            use.invokeExact(backend, pool);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Has the threads sleep, instead of watching for work for a while. */
    public void pause(MemorySegment pool) {
        try {
            pause.invokeExact(pool);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void resume(MemorySegment pool) {
        try {
            resume.invokeExact(pool);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void free(MemorySegment pool) {
        try {
            free.invokeExact(pool);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
