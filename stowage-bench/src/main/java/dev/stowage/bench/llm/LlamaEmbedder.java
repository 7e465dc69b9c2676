package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.error.MalformedDataException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;

/** The vectors that llama.cpp makes of texts, pooled as the file of the model says, and not scaled. */
final class LlamaEmbedder {

    private final LlamaFunctions functions;
    private final LlamaLog log;
    private final MemorySegment model;

    LlamaEmbedder(LlamaFunctions functions, LlamaLog log, MemorySegment model) {
        this.functions = functions;
        this.log = log;
        this.model = model;
    }

    /** The vectors of texts that go through the model together, with one thread. */
    List<float[]> embed(List<int[]> texts, FlashAttention flash) {
        int tokens = texts.stream().mapToInt(text -> text.length).sum();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = open(arena, tokens, texts.size(), flash);
            try {
                int status = functions.decode(context, batch(arena, texts, tokens));
                if (status != 0) {
                    throw new MalformedDataException("llama.cpp failed with status " + status + ": " + log.lastError());
                }
                List<float[]> vectors = new ArrayList<>();
                for (int text = 0; text < texts.size(); text++) {
                    vectors.add(functions.embedding(context, text, functions.width(model)));
                }
                return vectors;
            } finally {
                functions.freeContext(context);
            }
        }
    }

    private MemorySegment open(Arena arena, int tokens, int texts, FlashAttention flash) {
        MemorySegment params = functions.contextDefaults(arena);
        StructLayout layout = LlamaStructs.CONTEXT_PARAMS;
        // llama.cpp reserves memory for a multiple of the number of texts, and fails where there is room for less.
        int room = Math.ceilDiv(tokens, texts) * texts;
        LlamaStructs.set(params, layout, "n_ctx", room);
        LlamaStructs.set(params, layout, "n_batch", room);
        LlamaStructs.set(params, layout, "n_ubatch", room);
        LlamaStructs.set(params, layout, "n_seq_max", texts);
        LlamaStructs.set(params, layout, "n_threads", 1);
        LlamaStructs.set(params, layout, "n_threads_batch", 1);
        LlamaStructs.set(params, layout, "flash_attn_type", flash.code());
        LlamaStructs.set(params, layout, "embeddings", true);
        LlamaStructs.set(params, layout, "kv_unified", true);
        MemorySegment context = functions.newContext(model, params);
        if (context.equals(MemorySegment.NULL)) {
            throw new MalformedDataException("llama.cpp cannot run the model: " + log.lastError());
        }
        return context;
    }

    /** All texts, each a sequence, with an output after every token. */
    private static MemorySegment batch(Arena arena, List<int[]> texts, int tokens) {
        MemorySegment ids = arena.allocate(JAVA_INT, tokens);
        MemorySegment positions = arena.allocate(JAVA_INT, tokens);
        MemorySegment counts = arena.allocate(JAVA_INT, tokens);
        MemorySegment sequences = arena.allocate(ADDRESS, tokens);
        int at = 0;
        for (int text = 0; text < texts.size(); text++) {
            MemorySegment sequence = arena.allocateFrom(JAVA_INT, text);
            int[] own = texts.get(text);
            for (int i = 0; i < own.length; i++) {
                ids.setAtIndex(JAVA_INT, at, own[i]);
                positions.setAtIndex(JAVA_INT, at, i);
                counts.setAtIndex(JAVA_INT, at, 1);
                sequences.setAtIndex(ADDRESS, at, sequence);
                at++;
            }
        }
        MemorySegment batch = arena.allocate(LlamaStructs.BATCH);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "n_tokens", tokens);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "token", ids);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "pos", positions);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "n_seq_id", counts);
        LlamaStructs.set(batch, LlamaStructs.BATCH, "seq_id", sequences);
        LlamaStructs.set(
                batch,
                LlamaStructs.BATCH,
                "logits",
                arena.allocate(JAVA_BYTE, tokens).fill((byte) 1));
        return batch;
    }
}
