package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Experts;
import dev.stowage.bench.llm.ModelRecipe.Rope;
import dev.stowage.bench.llm.ModelRecipe.Sizes;
import dev.stowage.bench.llm.ModelRecipe.Trait;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.quantize.FileType;
import java.util.Map;

/** What a model made by a recipe says of itself, by the keys llama.cpp reads. */
final class RecipeMetadata {

    private static final int FORMAT_VERSION = 2;

    /** What every architecture here adds to a mean of squares, or to a variance, before it divides by its root. */
    private static final float EPSILON = 1e-5f;

    private final String prefix;
    private GgufMetadata all = GgufMetadata.empty();

    private RecipeMetadata(String architecture) {
        this.prefix = architecture + ".";
    }

    /**
     * All entries. What quantising would set stands at the end, as it does after quantising.
     *
     * @param tokenizer the entries of a tokenizer
     * @param vocabulary how many tokens that knows
     */
    static GgufMetadata of(String name, ModelRecipe recipe, FileType type, GgufMetadata tokenizer, int vocabulary) {
        RecipeMetadata metadata = new RecipeMetadata(recipe.architecture());
        metadata.put(GgufMetadata.ARCHITECTURE, GgufValue.text(recipe.architecture()));
        metadata.put("general.name", GgufValue.text(name));
        metadata.put("general.description", GgufValue.text("Random weights, for measuring and testing"));
        metadata.whole("vocab_size", vocabulary);
        metadata.whole("context_length", recipe.tokens().context());
        metadata.sizes(recipe.sizes());
        boolean encodes = recipe.has(Trait.ENCODER);
        metadata.real(encodes ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", EPSILON);
        if (encodes) {
            metadata.put(recipe.architecture() + ".attention.causal", new GgufValue.Bool(false));
        }
        if (!encodes || !recipe.has(Trait.NO_ROPE)) {
            metadata.rope(recipe.rope(), recipe.sizes().headSize());
        }
        metadata.experts(recipe.experts(), recipe.sizes().feedForward());
        recipe.numbers().forEach(metadata::number);
        if (recipe.has(Trait.NO_ROPE) && !encodes) {
            metadata.put(recipe.architecture() + ".rope.scaling.finetuned", new GgufValue.Bool(false));
        }
        for (Map.Entry<String, GgufValue> entry : tokenizer.entries().entrySet()) {
            metadata.put(entry.getKey(), entry.getValue());
        }
        metadata.put(GgufMetadata.QUANTIZATION_VERSION, GgufValue.uint32(FORMAT_VERSION));
        metadata.put(GgufMetadata.FILE_TYPE, GgufValue.uint32(type.code()));
        return metadata.all;
    }

    private void sizes(Sizes sizes) {
        whole("block_count", sizes.layers());
        whole("embedding_length", sizes.width());
        whole("feed_forward_length", sizes.feedForward());
        whole("attention.head_count", sizes.heads());
        whole("attention.head_count_kv", sizes.sharedHeads());
        if (sizes.heads() * sizes.headSize() != sizes.width()) {
            whole("attention.key_length", sizes.headSize());
            whole("attention.value_length", sizes.headSize());
        }
    }

    private void rope(Rope rope, int headSize) {
        whole("rope.dimension_count", headSize);
        real("rope.freq_base", rope.base());
        if (rope.isScaled()) {
            put(prefix + "rope.scaling.type", GgufValue.text(rope.scaling()));
            real("rope.scaling.factor", rope.factor());
            if (rope.originalContext() > 0) {
                whole("rope.scaling.original_context_length", rope.originalContext());
            }
        }
    }

    private void experts(Experts experts, int feedForward) {
        if (experts.isNone()) {
            return;
        }
        whole("expert_count", experts.count());
        whole("expert_used_count", experts.used());
        if (!prefix.equals("llama.")) {
            // Llama's experts are as large as its one network would be; others have a size of their own.
            whole("expert_feed_forward_length", feedForward);
        }
    }

    private void number(String key, Number value) {
        if (value instanceof Integer whole) {
            whole(key, whole);
        } else {
            real(key, value.floatValue());
        }
    }

    private void whole(String key, long value) {
        put(prefix + key, GgufValue.uint32(value));
    }

    private void real(String key, float value) {
        put(prefix + key, new GgufValue.Float32(value));
    }

    private void put(String key, GgufValue value) {
        all = all.with(key, value);
    }
}
