package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.error.MalformedDataException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A model that llama.cpp runs: tokens go in one batch after the other, and logits come out. */
public final class LlamaContext implements AutoCloseable {

    private final LlamaFunctions functions;
    private final LlamaLog log;
    private final MemorySegment context;
    private final int vocabularySize;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment tokens;
    private final MemorySegment allOutputs;
    private final MemorySegment batch = arena.allocate(LlamaStructs.BATCH);
    private boolean closed;

    LlamaContext(LlamaFunctions functions, LlamaLog log, MemorySegment context, int capacity, int vocabularySize) {
        this.functions = functions;
        this.log = log;
        this.context = context;
        this.vocabularySize = vocabularySize;
        this.tokens = arena.allocate(JAVA_INT, capacity);
        this.allOutputs = arena.allocate(capacity).fill((byte) 1);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "token", tokens);
    }

    /** Evaluates tokens after those that were evaluated before; the last one has logits. */
    public void run(int... next) {
        run(MemorySegment.NULL, next);
    }

    /** As {@link #run}, with logits for every one. */
    public void runForAllLogits(int... next) {
        run(allOutputs, next);
    }

    private void run(MemorySegment flags, int... next) {
        MemorySegment.copy(next, 0, tokens, JAVA_INT, 0, next.length);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "n_tokens", next.length);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "logits", flags);
        int status = functions.decode(context, batch);
        if (status != 0) {
            throw new MalformedDataException("llama.cpp failed with status " + status + ": " + log.lastError());
        }
    }

    /** The logits after a token of the last batch. */
    public float[] logits(int token) {
        return functions.logits(context, token, vocabularySize);
    }

    /** The logits after the last token. */
    public float[] lastLogits() {
        return logits(-1);
    }

    /** Forgets all tokens. */
    public void clear() {
        functions.clearMemory(context);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            functions.freeContext(context);
            arena.close();
        }
    }
}
