package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Sizes;
import dev.stowage.bench.llm.ModelRecipe.Trait;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;

/** The tensors of an encoder made by a recipe, by the names and in the shapes llama.cpp reads. */
final class EncoderTensors {

    private static final int TOKEN_TYPES = 2;
    private static final WeightInitializer NORM = WeightInitializer.normal(1, 0.1);
    private static final WeightInitializer BIAS = WeightInitializer.normal(0, 0.3);

    private final ModelRecipe recipe;
    private final Sizes sizes;
    private final List<RandomTensor> all = new ArrayList<>();

    private EncoderTensors(ModelRecipe recipe) {
        this.recipe = recipe;
        this.sizes = recipe.sizes();
    }

    static List<RandomTensor> of(ModelRecipe recipe, int vocabulary) {
        EncoderTensors tensors = new EncoderTensors(recipe);
        tensors.input(vocabulary);
        for (int layer = 0; layer < recipe.sizes().layers(); layer++) {
            tensors.layer("blk." + layer + ".");
        }
        return List.copyOf(tensors.all);
    }

    private void input(int vocabulary) {
        int width = sizes.width();
        add("token_embd.weight", ElementType.F16, WeightInitializer.matrix(width), width, vocabulary);
        add("token_types.weight", ElementType.F32, WeightInitializer.matrix(width), width, TOKEN_TYPES);
        if (recipe.has(Trait.NO_ROPE)) {
            int positions = recipe.tokens().context();
            add("position_embd.weight", ElementType.F32, WeightInitializer.matrix(width), width, positions);
        }
        norm("token_embd_norm");
    }

    private void layer(String block) {
        if (recipe.has(Trait.FUSED)) {
            linear(block + "attn_qkv", sizes.width(), sizes.queries() + 2 * sizes.keys());
        } else {
            linear(block + "attn_q", sizes.width(), sizes.queries());
            linear(block + "attn_k", sizes.width(), sizes.keys());
            linear(block + "attn_v", sizes.width(), sizes.keys());
        }
        linear(block + "attn_output", sizes.queries(), sizes.width());
        norm(block + "attn_output_norm");
        if (recipe.has(Trait.GATED)) {
            linear(block + "ffn_gate", sizes.width(), sizes.feedForward());
        }
        linear(block + "ffn_up", sizes.width(), sizes.feedForward());
        linear(block + "ffn_down", sizes.feedForward(), sizes.width());
        norm(block + "layer_output_norm");
    }

    private void norm(String name) {
        add(name + ".weight", ElementType.F32, NORM, sizes.width());
        add(name + ".bias", ElementType.F32, BIAS, sizes.width());
    }

    private void linear(String name, int from, int to) {
        add(name + ".weight", ElementType.F16, WeightInitializer.matrix(from), from, to);
        if (recipe.has(Trait.BIASES)) {
            add(name + ".bias", ElementType.F32, BIAS, to);
        }
    }

    private void add(String name, ElementType type, WeightInitializer filling, long... dimensions) {
        all.add(new RandomTensor(TensorSpec.of(name, type, dimensions), filling));
    }
}
