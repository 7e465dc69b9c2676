package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Sizes;
import dev.stowage.bench.llm.ModelRecipe.Trait;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;

/** The tensors of a model made by a recipe, by the names and in the shapes llama.cpp reads. */
final class RecipeTensors {

    private static final WeightInitializer NORM = WeightInitializer.normal(1, 0.1);
    private static final WeightInitializer BIAS = WeightInitializer.normal(0, 0.3);

    private final ModelRecipe recipe;
    private final Sizes sizes;
    private final List<RandomTensor> all = new ArrayList<>();

    private RecipeTensors(ModelRecipe recipe) {
        this.recipe = recipe;
        this.sizes = recipe.sizes();
    }

    static List<RandomTensor> of(ModelRecipe recipe, int vocabulary) {
        RecipeTensors tensors = new RecipeTensors(recipe);
        tensors.matrix("token_embd.weight", recipe.sizes().width(), vocabulary);
        tensors.vector("output_norm.weight", recipe.sizes().width(), NORM);
        if (!recipe.has(Trait.TIED)) {
            tensors.matrix("output.weight", recipe.sizes().width(), vocabulary);
        }
        if (recipe.has(Trait.FREQUENCY_FACTORS)) {
            tensors.frequencyFactors();
        }
        if (recipe.has(Trait.LONG_FACTORS)) {
            tensors.longFactors();
        }
        for (int layer = 0; layer < recipe.sizes().layers(); layer++) {
            tensors.attention("blk." + layer + ".attn_");
            tensors.feedForward("blk." + layer + ".ffn_");
            tensors.norms("blk." + layer + ".");
        }
        return List.copyOf(tensors.all);
    }

    private void frequencyFactors() {
        WeightInitializer factors = WeightInitializer.frequencyFactors(
                recipe.rope(), sizes.headSize(), recipe.tokens().context());
        vector("rope_freqs.weight", sizes.headSize() / 2, factors);
    }

    private void longFactors() {
        int pairs = recipe.rotated() / 2;
        vector("rope_factors_long.weight", pairs, WeightInitializer.rising(1, 4));
        vector("rope_factors_short.weight", pairs, WeightInitializer.rising(1, 1.5));
    }

    private void attention(String prefix) {
        if (!recipe.has(Trait.NORMS_AFTER)) {
            vector(prefix + "norm.weight", sizes.width(), NORM);
        }
        if (recipe.has(Trait.FUSED)) {
            matrix(prefix + "qkv.weight", sizes.width(), sizes.queries() + 2L * sizes.keys());
        } else {
            matrix(prefix + "q.weight", sizes.width(), sizes.queries());
            matrix(prefix + "k.weight", sizes.width(), sizes.keys());
            matrix(prefix + "v.weight", sizes.width(), sizes.keys());
        }
        matrix(prefix + "output.weight", sizes.queries(), sizes.width());
        if (recipe.has(Trait.SINKS)) {
            vector(prefix + "output.bias", sizes.width(), BIAS);
            vector(prefix + "sinks.weight", sizes.heads(), NORM);
        }
        if (recipe.has(Trait.BIASES)) {
            vector(prefix + "q.bias", sizes.queries(), BIAS);
            vector(prefix + "k.bias", sizes.keys(), BIAS);
            vector(prefix + "v.bias", sizes.keys(), BIAS);
        }
        if (recipe.has(Trait.HEAD_NORMS)) {
            boolean whole = recipe.has(Trait.WHOLE_NORMS);
            vector(prefix + "q_norm.weight", whole ? sizes.queries() : sizes.headSize(), NORM);
            vector(prefix + "k_norm.weight", whole ? sizes.keys() : sizes.headSize(), NORM);
        }
    }

    private void norms(String block) {
        if (recipe.has(Trait.SINKS) || recipe.has(Trait.NORMS_AROUND) || recipe.has(Trait.NORMS_AFTER)) {
            vector(block + "post_attention_norm.weight", sizes.width(), NORM);
        }
        if (recipe.has(Trait.NORMS_AROUND) || recipe.has(Trait.NORMS_AFTER)) {
            vector(block + "post_ffw_norm.weight", sizes.width(), NORM);
        }
    }

    private void feedForward(String prefix) {
        if (!recipe.has(Trait.SINKS) && !recipe.has(Trait.NORMS_AFTER)) {
            vector(prefix + "norm.weight", sizes.width(), NORM);
        }
        if (recipe.experts().isNone()) {
            boolean fused = recipe.has(Trait.FUSED);
            if (!fused) {
                matrix(prefix + "gate.weight", sizes.width(), sizes.feedForward());
            }
            matrix(prefix + "up.weight", sizes.width(), (fused ? 2L : 1L) * sizes.feedForward());
            matrix(prefix + "down.weight", sizes.feedForward(), sizes.width());
            return;
        }
        int experts = recipe.experts().count();
        // What chooses among experts is small and must be exact: converters leave it as it is.
        add(
                prefix + "gate_inp.weight",
                ElementType.F32,
                WeightInitializer.matrix(sizes.width()),
                sizes.width(),
                experts);
        matrix(prefix + "gate_exps.weight", sizes.width(), sizes.feedForward(), experts);
        matrix(prefix + "up_exps.weight", sizes.width(), sizes.feedForward(), experts);
        matrix(prefix + "down_exps.weight", sizes.feedForward(), sizes.width(), experts);
        recipe.sharedExpert().ifPresent(within -> sharedExpert(prefix, within));
        if (recipe.has(Trait.SINKS)) {
            add(prefix + "gate_inp.bias", ElementType.F32, BIAS, experts);
            add(prefix + "gate_exps.bias", ElementType.F32, BIAS, sizes.feedForward(), experts);
            add(prefix + "up_exps.bias", ElementType.F32, BIAS, sizes.feedForward(), experts);
            add(prefix + "down_exps.bias", ElementType.F32, BIAS, sizes.width(), experts);
        }
    }

    private void sharedExpert(String prefix, int within) {
        matrix(prefix + "gate_shexp.weight", sizes.width(), within);
        matrix(prefix + "up_shexp.weight", sizes.width(), within);
        matrix(prefix + "down_shexp.weight", within, sizes.width());
    }

    private void vector(String name, int size, WeightInitializer filling) {
        add(name, ElementType.F32, filling, size);
    }

    private void matrix(String name, int columns, long... rows) {
        long[] dimensions = new long[rows.length + 1];
        dimensions[0] = columns;
        System.arraycopy(rows, 0, dimensions, 1, rows.length);
        add(name, ElementType.F16, WeightInitializer.matrix(columns), dimensions);
    }

    private void add(String name, ElementType type, WeightInitializer filling, long... dimensions) {
        all.add(new RandomTensor(TensorSpec.of(name, type, dimensions), filling));
    }
}
