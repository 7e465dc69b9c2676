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
        for (int layer = 0; layer < recipe.sizes().layers(); layer++) {
            tensors.attention("blk." + layer + ".attn_");
            tensors.feedForward("blk." + layer + ".ffn_");
        }
        return List.copyOf(tensors.all);
    }

    private void frequencyFactors() {
        WeightInitializer factors = WeightInitializer.frequencyFactors(
                recipe.rope(), sizes.headSize(), recipe.tokens().context());
        vector("rope_freqs.weight", sizes.headSize() / 2, factors);
    }

    private void attention(String prefix) {
        vector(prefix + "norm.weight", sizes.width(), NORM);
        matrix(prefix + "q.weight", sizes.width(), sizes.queries());
        matrix(prefix + "k.weight", sizes.width(), sizes.keys());
        matrix(prefix + "v.weight", sizes.width(), sizes.keys());
        matrix(prefix + "output.weight", sizes.queries(), sizes.width());
        if (recipe.has(Trait.BIASES)) {
            vector(prefix + "q.bias", sizes.queries(), BIAS);
            vector(prefix + "k.bias", sizes.keys(), BIAS);
            vector(prefix + "v.bias", sizes.keys(), BIAS);
        }
        if (recipe.has(Trait.HEAD_NORMS)) {
            vector(prefix + "q_norm.weight", sizes.headSize(), NORM);
            vector(prefix + "k_norm.weight", sizes.headSize(), NORM);
        }
    }

    private void feedForward(String prefix) {
        vector(prefix + "norm.weight", sizes.width(), NORM);
        if (recipe.experts().isNone()) {
            matrix(prefix + "gate.weight", sizes.width(), sizes.feedForward());
            matrix(prefix + "up.weight", sizes.width(), sizes.feedForward());
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
