package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.bench.ggml.NativeLibrary;
import dev.stowage.bench.ggml.Upcalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * Receives the log messages of llama.cpp, and keeps the last error for the message of a failure. It is
 * called until the process ends.
 */
final class LlamaLog {

    private static final int ERROR = 4;
    private static final long LONGEST = 4096;

    private volatile String lastError = "it gave no reason";

    /** The message before the next one. */
    private volatile String message = "";

    private LlamaLog() {}

    /** Listens from now on, so that nothing is printed. */
    static LlamaLog listeningTo(NativeLibrary llama) {
        LlamaLog log = new LlamaLog();
        MemorySegment function =
                new Upcalls(MethodHandles.lookup(), log, Arena.global()).toVoid("hear", JAVA_INT, ADDRESS, ADDRESS);
        try {
            llama.function("llama_log_set", null, ADDRESS, ADDRESS).invokeExact(function, MemorySegment.NULL);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
        return log;
    }

    /** Called by llama.cpp, from any of its threads. */
    @SuppressWarnings({"unused", "UnusedMethod", "UnusedVariable", "restricted"})
    private void hear(int level, MemorySegment text, MemorySegment user) {
        if (level == ERROR) {
            // The last message only says that something failed; the one before it says why.
            String next = text.reinterpret(LONGEST).getString(0).strip();
            lastError = message.isEmpty() ? next : message + "; " + next;
            message = next;
        }
    }

    /** What it complained of last. */
    String lastError() {
        return lastError;
    }
}
