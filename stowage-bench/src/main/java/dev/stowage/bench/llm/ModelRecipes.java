package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Experts;
import dev.stowage.bench.llm.ModelRecipe.Rope;
import dev.stowage.bench.llm.ModelRecipe.Tokens;
import dev.stowage.bench.llm.ModelRecipe.Trait;
import dev.stowage.error.MalformedDataException;

/**
 * The recipes there are: those that are large enough to measure with, and small ones which differ in what architectures
 * differ in. Rows of the wide ones are whole numbers of 256, as K types want them.
 */
final class ModelRecipes {

    private ModelRecipes() {}

    /**
     * The recipe of that name.
     *
     * @throws MalformedDataException if there is none
     */
    static ModelRecipe named(String name) {
        return switch (name) {
            case "tinyllama-1.1b" -> ModelRecipe.llama(22, 2048, 32, 4, 5632).with(new Tokens(32_000, 2048));
            case "llama-3-8b" ->
                ModelRecipe.llama(32, 4096, 32, 8, 14_336)
                        .with(new Tokens(128_256, 8192))
                        .with(Rope.plain(500_000));
            case "mixtral-8x7b" ->
                ModelRecipe.llama(32, 4096, 32, 8, 14_336)
                        .with(new Tokens(32_000, 32_768))
                        .with(Rope.plain(1_000_000))
                        .with(new Experts(8, 2));
            case "tiny-llama" -> small();
            case "tiny-llama-tied" -> ModelRecipe.llama(3, 96, 6, 6, 224).with(Trait.TIED);
            case "tiny-llama-heads" -> ModelRecipe.llama(2, 64, 4, 1, 128).withHeadSize(32);
            case "tiny-llama-frequencies" ->
                small().with(new Tokens(512, 1024)).with(Rope.plain(500_000)).with(Trait.FREQUENCY_FACTORS);
            case "tiny-llama-linear" -> small().with(new Rope(10_000, "linear", 4, 64));
            case "tiny-llama-yarn" -> small().with(new Rope(10_000, "yarn", 4, 64));
            case "tiny-llama-wide" -> ModelRecipe.llama(2, 256, 8, 2, 512);
            case "tiny-llama-moe" -> ModelRecipe.llama(2, 64, 4, 2, 96).with(new Experts(8, 2));
            case "tiny-qwen2" ->
                small().as("qwen2")
                        .with(Rope.plain(1_000_000))
                        .with(Trait.BIASES)
                        .with(Trait.TIED);
            case "tiny-qwen3" -> qwen3("qwen3", 64, 160);
            case "tiny-qwen3moe" -> qwen3("qwen3moe", 64, 64).with(new Experts(8, 3));
            case "tiny-qwen3moe-wide" -> qwen3("qwen3moe", 256, 256).with(new Experts(4, 2));
            default -> throw new MalformedDataException("there is no recipe for a model '" + name + "'");
        };
    }

    private static ModelRecipe small() {
        return ModelRecipe.llama(2, 64, 4, 2, 160);
    }

    private static ModelRecipe qwen3(String architecture, int width, int feedForward) {
        return ModelRecipe.llama(2, width, 4, 2, feedForward)
                .as(architecture)
                .withHeadSize(32)
                .with(Rope.plain(1_000_000))
                .with(Trait.HEAD_NORMS);
    }
}
