package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.bench.ggml.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The functions of llama.cpp that open models, tokenize text, and run them. */
final class LlamaFunctions {

    private final MethodHandle version;
    private final MethodHandle modelDefaults;
    private final MethodHandle contextDefaults;
    private final MethodHandle loadModel;
    private final MethodHandle freeModel;
    private final MethodHandle vocabulary;
    private final MethodHandle vocabularySize;
    private final MethodHandle endsText;
    private final MethodHandle tokenize;
    private final MethodHandle piece;
    private final MethodHandle newContext;
    private final MethodHandle freeContext;
    private final MethodHandle memory;
    private final MethodHandle clearMemory;
    private final MethodHandle decode;
    private final MethodHandle synchronize;
    private final MethodHandle logits;
    private final MethodHandle width;
    private final MethodHandle embedding;

    LlamaFunctions(NativeLibrary llama) {
        version = llama.function("llama_version", ADDRESS);
        modelDefaults = llama.function("llama_model_default_params", LlamaStructs.MODEL_PARAMS);
        contextDefaults = llama.function("llama_context_default_params", LlamaStructs.CONTEXT_PARAMS);
        loadModel = llama.function("llama_model_load_from_file", ADDRESS, ADDRESS, LlamaStructs.MODEL_PARAMS);
        freeModel = llama.function("llama_model_free", null, ADDRESS);
        vocabulary = llama.function("llama_model_get_vocab", ADDRESS, ADDRESS);
        vocabularySize = llama.function("llama_vocab_n_tokens", JAVA_INT, ADDRESS);
        endsText = llama.function("llama_vocab_is_eog", JAVA_BOOLEAN, ADDRESS, JAVA_INT);
        tokenize = llama.function(
                "llama_tokenize", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_BOOLEAN, JAVA_BOOLEAN);
        piece = llama.function(
                "llama_token_to_piece", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_BOOLEAN);
        newContext = llama.function("llama_init_from_model", ADDRESS, ADDRESS, LlamaStructs.CONTEXT_PARAMS);
        freeContext = llama.function("llama_free", null, ADDRESS);
        memory = llama.function("llama_get_memory", ADDRESS, ADDRESS);
        clearMemory = llama.function("llama_memory_clear", null, ADDRESS, JAVA_BOOLEAN);
        decode = llama.function("llama_decode", JAVA_INT, ADDRESS, LlamaStructs.BATCH);
        synchronize = llama.function("llama_synchronize", null, ADDRESS);
        logits = llama.function("llama_get_logits_ith", ADDRESS, ADDRESS, JAVA_INT);
        width = llama.function("llama_model_n_embd", JAVA_INT, ADDRESS);
        embedding = llama.function("llama_get_embeddings_seq", ADDRESS, ADDRESS, JAVA_INT);
    }

    @SuppressWarnings("restricted")
    String version() {
        try {
            return ((MemorySegment) version.invokeExact()).reinterpret(256).getString(0);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** How a model is opened where nothing else is said. */
    MemorySegment modelDefaults(Arena arena) {
        try {
            return (MemorySegment) modelDefaults.invokeExact((SegmentAllocator) arena);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** How a model is run where nothing else is said. */
    MemorySegment contextDefaults(Arena arena) {
        try {
            return (MemorySegment) contextDefaults.invokeExact((SegmentAllocator) arena);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Opens a model; {@code NULL} if that fails. */
    MemorySegment loadModel(Path file, MemorySegment params, Arena arena) {
        try {
            return (MemorySegment) loadModel.invokeExact(arena.allocateFrom(file.toString()), params);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    void freeModel(MemorySegment model) {
        try {
            freeModel.invokeExact(model);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    MemorySegment vocabulary(MemorySegment model) {
        try {
            return (MemorySegment) vocabulary.invokeExact(model);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    int vocabularySize(MemorySegment vocab) {
        try {
            return (int) vocabularySize.invokeExact(vocab);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    boolean endsText(MemorySegment vocab, int token) {
        try {
            return (boolean) endsText.invokeExact(vocab, token);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Cuts text into tokens, with the special tokens before and after it, and returns how many they are. */
    int tokenize(MemorySegment vocab, MemorySegment text, MemorySegment tokens) {
        try {
            return (int) tokenize.invokeExact(
                    vocab, text, (int) text.byteSize(), tokens, (int) (tokens.byteSize() / Integer.BYTES), true, true);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Writes the bytes a token stands for, none for one that only controls, and returns how many they are. */
    int piece(MemorySegment vocab, int token, MemorySegment bytes) {
        try {
            return (int) piece.invokeExact(vocab, token, bytes, (int) bytes.byteSize(), 0, false);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Makes ready to run a model; {@code NULL} if that fails. */
    MemorySegment newContext(MemorySegment model, MemorySegment params) {
        try {
            return (MemorySegment) newContext.invokeExact(model, params);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    void freeContext(MemorySegment context) {
        try {
            freeContext.invokeExact(context);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Forgets all tokens. */
    void clearMemory(MemorySegment context) {
        try {
            clearMemory.invokeExact((MemorySegment) memory.invokeExact(context), true);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Runs tokens and returns a status, which is 0 if all went well. */
    int decode(MemorySegment context, MemorySegment batch) {
        try {
            int status = (int) decode.invokeExact(context, batch);
            synchronize.invokeExact(context);
            return status;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** How many numbers the state of a token is. */
    int width(MemorySegment model) {
        try {
            return (int) width.invokeExact(model);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The vector of a sequence of the last batch. */
    @SuppressWarnings("restricted")
    float[] embedding(MemorySegment context, int sequence, int count) {
        try {
            MemorySegment found = (MemorySegment) embedding.invokeExact(context, sequence);
            return found.reinterpret((long) count * Float.BYTES).toArray(JAVA_FLOAT);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The logits after a token of the last batch; -1 is its last. */
    @SuppressWarnings("restricted")
    float[] logits(MemorySegment context, int token, int count) {
        try {
            MemorySegment found = (MemorySegment) logits.invokeExact(context, token);
            return found.reinterpret((long) count * Float.BYTES).toArray(JAVA_FLOAT);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
