package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.error.MalformedDataException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** A model that llama.cpp has opened, and its tokenizer. */
public final class LlamaModel implements AutoCloseable {

    private static final int LONGEST_PIECE = 256;

    private final LlamaFunctions functions;
    private final LlamaLog log;
    private final MemorySegment model;
    private final MemorySegment vocabulary;
    private boolean closed;

    LlamaModel(LlamaFunctions functions, LlamaLog log, MemorySegment model) {
        this.functions = functions;
        this.log = log;
        this.model = model;
        this.vocabulary = functions.vocabulary(model);
    }

    /** How many tokens there are. */
    public int vocabularySize() {
        return functions.vocabularySize(vocabulary);
    }

    /** Whether text ends with that token. */
    public boolean endsText(int token) {
        return functions.endsText(vocabulary, token);
    }

    /** Cuts text into tokens, with the one that begins a text where the model wants it. */
    public int[] tokenize(String text) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            MemorySegment source = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
            // No token stands for less than a byte, and a few are added at the ends.
            MemorySegment tokens = arena.allocate(JAVA_INT, bytes.length + 8L);
            int count = functions.tokenize(vocabulary, source, tokens);
            if (count < 0) {
                throw new MalformedDataException("llama.cpp cannot cut '" + text + "' into tokens");
            }
            return tokens.asSlice(0, (long) count * Integer.BYTES).toArray(JAVA_INT);
        }
    }

    /** The text that tokens stand for; invalid UTF-8 is replaced. */
    public String text(Iterable<Integer> tokens) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(LONGEST_PIECE);
            for (int token : tokens) {
                int length = functions.piece(vocabulary, token, piece);
                if (length < 0) {
                    throw new MalformedDataException("token " + token + " is longer than " + LONGEST_PIECE + " bytes");
                }
                bytes.writeBytes(piece.asSlice(0, length).toArray(JAVA_BYTE));
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /**
     * Makes ready to run this, with keys and values in f16.
     *
     * @param tokens how many tokens there may be at a time
     * @param threads how many threads compute
     * @throws MalformedDataException if llama.cpp refuses
     */
    public LlamaContext newContext(int tokens, int threads, FlashAttention flash) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = functions.contextDefaults(arena);
            var layout = LlamaStructs.CONTEXT_PARAMS;
            LlamaStructs.set(params, layout, "n_ctx", tokens);
            LlamaStructs.set(params, layout, "n_threads", threads);
            LlamaStructs.set(params, layout, "n_threads_batch", threads);
            LlamaStructs.set(params, layout, "flash_attn_type", flash.code());
            MemorySegment context = functions.newContext(model, params);
            if (context.equals(MemorySegment.NULL)) {
                throw new MalformedDataException("llama.cpp cannot run the model: " + log.lastError());
            }
            return new LlamaContext(functions, log, context, tokens, vocabularySize());
        }
    }

    /** Makes vectors of texts with it, if it is an embedding model. */
    LlamaEmbedder embedder() {
        return new LlamaEmbedder(functions, log, model);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            functions.freeModel(model);
        }
    }
}
