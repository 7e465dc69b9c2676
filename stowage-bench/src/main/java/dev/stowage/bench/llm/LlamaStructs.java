package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.error.MalformedDataException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * The structs that llama.cpp takes by value. They change between versions, and nothing in the library describes their
 * layout, except the defaults it fills in: these are checked to be at the expected offsets.
 */
final class LlamaStructs {

    /** For fields of later versions: a struct that is larger than was thought must not be written past its end. */
    private static final MemoryLayout ROOM = MemoryLayout.sequenceLayout(16, JAVA_LONG);

    static final StructLayout MODEL_PARAMS = MemoryLayout.structLayout(
            ADDRESS.withName("devices"),
            ADDRESS.withName("tensor_buft_overrides"),
            JAVA_INT.withName("n_gpu_layers"),
            JAVA_INT.withName("split_mode"),
            JAVA_INT.withName("load_mode"),
            JAVA_INT.withName("unknown"),
            JAVA_INT.withName("main_gpu"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("tensor_split"),
            ADDRESS.withName("progress_callback"),
            ADDRESS.withName("progress_callback_user_data"),
            ADDRESS.withName("kv_overrides"),
            JAVA_BOOLEAN.withName("vocab_only"),
            JAVA_BOOLEAN.withName("check_tensors"),
            JAVA_BOOLEAN.withName("use_extra_bufts"),
            JAVA_BOOLEAN.withName("no_host"),
            JAVA_BOOLEAN.withName("no_alloc"),
            JAVA_BOOLEAN.withName("load_mtp"),
            MemoryLayout.paddingLayout(2),
            ROOM);

    static final StructLayout CONTEXT_PARAMS = MemoryLayout.structLayout(
            JAVA_INT.withName("n_ctx"),
            JAVA_INT.withName("n_batch"),
            JAVA_INT.withName("n_ubatch"),
            JAVA_INT.withName("n_seq_max"),
            JAVA_INT.withName("n_rs_seq"),
            JAVA_INT.withName("n_outputs_max"),
            JAVA_INT.withName("n_outputs_max_per_seq"),
            JAVA_INT.withName("n_threads"),
            JAVA_INT.withName("n_threads_batch"),
            JAVA_INT.withName("ctx_type"),
            JAVA_INT.withName("rope_scaling_type"),
            JAVA_INT.withName("pooling_type"),
            JAVA_INT.withName("attention_type"),
            JAVA_INT.withName("flash_attn_type"),
            JAVA_FLOAT.withName("rope_freq_base"),
            JAVA_FLOAT.withName("rope_freq_scale"),
            JAVA_FLOAT.withName("yarn_ext_factor"),
            JAVA_FLOAT.withName("yarn_attn_factor"),
            JAVA_FLOAT.withName("yarn_beta_fast"),
            JAVA_FLOAT.withName("yarn_beta_slow"),
            JAVA_INT.withName("yarn_orig_ctx"),
            JAVA_FLOAT.withName("defrag_thold"),
            ADDRESS.withName("cb_eval"),
            ADDRESS.withName("cb_eval_user_data"),
            JAVA_INT.withName("type_k"),
            JAVA_INT.withName("type_v"),
            ADDRESS.withName("abort_callback"),
            ADDRESS.withName("abort_callback_data"),
            JAVA_BOOLEAN.withName("embeddings"),
            JAVA_BOOLEAN.withName("offload_kqv"),
            JAVA_BOOLEAN.withName("no_perf"),
            JAVA_BOOLEAN.withName("op_offload"),
            JAVA_BOOLEAN.withName("swa_full"),
            JAVA_BOOLEAN.withName("kv_unified"),
            MemoryLayout.paddingLayout(2),
            ADDRESS.withName("sampler"),
            JAVA_LONG.withName("n_sampler"),
            ADDRESS.withName("ctx_other"),
            ROOM);

    static final StructLayout BATCH = MemoryLayout.structLayout(
            JAVA_INT.withName("n_tokens"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("token"),
            ADDRESS.withName("embd"),
            ADDRESS.withName("pos"),
            ADDRESS.withName("n_seq_id"),
            ADDRESS.withName("seq_id"),
            ADDRESS.withName("logits"));

    /** A default that reveals the offset of a field. */
    private record Telling(String field, int value) {}

    private static final int F16 = 1;
    private static final int MINUS_ONE = Float.floatToRawIntBits(-1);

    private static final List<Telling> CONTEXT_DEFAULTS = List.of(
            new Telling("n_ctx", 512),
            new Telling("n_batch", 2048),
            new Telling("n_ubatch", 512),
            new Telling("n_seq_max", 1),
            new Telling("n_threads", 4),
            new Telling("n_threads_batch", 4),
            new Telling("ctx_type", 0),
            new Telling("rope_scaling_type", -1),
            new Telling("flash_attn_type", -1),
            new Telling("rope_freq_base", 0),
            new Telling("yarn_ext_factor", MINUS_ONE),
            new Telling("defrag_thold", MINUS_ONE),
            new Telling("type_k", F16),
            new Telling("type_v", F16));

    private static final List<Telling> MODEL_DEFAULTS = List.of(
            new Telling("n_gpu_layers", -1),
            new Telling("split_mode", 1),
            new Telling("load_mode", -1),
            new Telling("unknown", 1),
            new Telling("main_gpu", 0));

    private LlamaStructs() {}

    /** Sets a field. */
    static void set(MemorySegment struct, StructLayout layout, String field, int value) {
        struct.set(JAVA_INT, offset(layout, field), value);
    }

    /** Sets a field. */
    static void set(MemorySegment struct, StructLayout layout, String field, boolean value) {
        struct.set(JAVA_BOOLEAN, offset(layout, field), value);
    }

    /** Sets a field. */
    static void set(MemorySegment struct, StructLayout layout, String field, MemorySegment value) {
        struct.set(ADDRESS, offset(layout, field), value);
    }

    /**
     * Checks that defaults are at the expected offsets.
     *
     * @throws MalformedDataException if this is another llama.cpp than the one that is known here
     */
    static void requireKnown(MemorySegment modelParams, MemorySegment contextParams) {
        MODEL_DEFAULTS.forEach(telling -> require(modelParams, MODEL_PARAMS, telling));
        CONTEXT_DEFAULTS.forEach(telling -> require(contextParams, CONTEXT_PARAMS, telling));
    }

    private static void require(MemorySegment struct, StructLayout layout, Telling telling) {
        int found = struct.get(JAVA_INT, offset(layout, telling.field()));
        if (found != telling.value()) {
            throw new MalformedDataException("this llama.cpp is another one than is known here: where its settings"
                    + " should have " + telling.field() + " = " + telling.value() + " there is " + found);
        }
    }

    private static long offset(StructLayout layout, String field) {
        return layout.byteOffset(PathElement.groupElement(field));
    }
}
