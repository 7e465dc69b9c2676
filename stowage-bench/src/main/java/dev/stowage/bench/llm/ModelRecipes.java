package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Experts;
import dev.stowage.bench.llm.ModelRecipe.Rope;
import dev.stowage.bench.llm.ModelRecipe.Sizes;
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
                        .with(new Tokens(128_256, 131_072))
                        .with(Rope.plain(500_000))
                        .with(Trait.FREQUENCY_FACTORS);
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
            case "tiny-gemma2" ->
                gemma("gemma2", 3).with("attn_logit_softcapping", 20f).with("final_logit_softcapping", 10f);
            case "tiny-gemma2-wide" -> wide(named("tiny-gemma2"));
            case "tiny-gemma3" -> gemma3();
            case "tiny-gemma3-wide" -> wide(gemma3());
            case "tiny-gemma3-whole" -> gemma3().with("attention.sliding_window", 0);
            case "tiny-gemma3-linear" -> gemma3().with(new Rope(1_000_000, "linear", 8, 0));
            case "tiny-phi" -> phi3().with("rope.dimension_count", 16);
            case "tiny-phi-plain" -> phi3();
            case "tiny-phi-long" -> longPhi3(64);
            case "tiny-phi-short" -> longPhi3(4096);
            case "tiny-phi-wide" -> wide(phi3());
            case "tiny-phi4-mini" ->
                ModelRecipe.llama(2, 96, 3, 1, 64)
                        .as("phi3")
                        .with(Trait.FUSED)
                        .with(Trait.TIED)
                        .with(Trait.LONG_FACTORS)
                        .with("rope.dimension_count", 24)
                        .with("rope.scaling.attn_factor", 1.19f)
                        .with("rope.scaling.original_context_length", 64);
            case "tiny-smollm3" ->
                ModelRecipe.llama(4, 64, 2, 1, 64).as("smollm3").with(Trait.TIED);
            case "tiny-smollm3-wide" -> wide(named("tiny-smollm3"));
            case "tiny-olmo2" -> olmo2();
            case "tiny-olmo2-wide" -> wide(olmo2());
            case "tiny-olmo3" -> olmo2().with("attention.sliding_window", 16).with(new Rope(10_000, "yarn", 4, 64));
            case "tiny-granite" -> granite("granite");
            case "tiny-granite-wide" -> wide(granite("granite"));
            case "tiny-granite-ropeless" -> granite("granite").with(Trait.NO_ROPE);
            case "tiny-granitemoe" -> granite("granitemoe").with(new Experts(4, 2));
            case "tiny-granitemoe-shared" -> named("tiny-granitemoe").with("expert_shared_feed_forward_length", 96);
            case "tiny-minicpm" -> ModelRecipe.llama(2, 64, 2, 1, 64).as("minicpm");
            case "tiny-gpt-oss" -> gptOss(32, 32);
            case "tiny-gpt-oss-wide" -> gptOss(256, 256);
            case "tiny-bert" -> bert(2, 64, 4, 160, 2);
            case "tiny-bert-mean" -> bert(2, 96, 3, 128, 1);
            case "tiny-bert-wide" -> bert(1, 256, 4, 256, 2);
            case "tiny-nomic-bert" -> nomicBert(2, 64, 2, 96);
            case "tiny-nomic-bert-wide" -> nomicBert(1, 256, 4, 256);
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

    /** The same with rows of 256 elements. */
    private static ModelRecipe wide(ModelRecipe recipe) {
        Sizes sizes = recipe.sizes();
        return recipe.with(new Sizes(sizes.layers(), 256, 4, 2, 64, 512));
    }

    private static ModelRecipe gemma(String architecture, int layers) {
        return ModelRecipe.llama(layers, 32, 2, 1, 64)
                .as(architecture)
                .withHeadSize(32)
                .with(Trait.TIED)
                .with(Trait.NORMS_AROUND)
                .with("attention.sliding_window", 16);
    }

    private static ModelRecipe gemma3() {
        return gemma("gemma3", 7).with(Trait.HEAD_NORMS).with(Rope.plain(1_000_000));
    }

    private static ModelRecipe phi3() {
        return ModelRecipe.llama(2, 64, 2, 1, 64).as("phi3").with(Trait.FUSED).with("attention.sliding_window", 16);
    }

    private static ModelRecipe longPhi3(int originalContext) {
        return phi3().with(Trait.LONG_FACTORS)
                .with("rope.scaling.attn_factor", 1.19f)
                .with("rope.scaling.original_context_length", originalContext);
    }

    private static ModelRecipe olmo2() {
        return ModelRecipe.llama(4, 64, 2, 1, 64)
                .as("olmo2")
                .with(Trait.NORMS_AFTER)
                .with(Trait.HEAD_NORMS)
                .with(Trait.WHOLE_NORMS);
    }

    private static ModelRecipe granite(String architecture) {
        return ModelRecipe.llama(2, 64, 2, 1, 64)
                .as(architecture)
                .with(Trait.TIED)
                .with("embedding_scale", 12f)
                .with("residual_scale", 0.22f)
                .with("logit_scale", 8f)
                .with("attention.scale", 0.1f);
    }

    /** The pooling is 1 for the mean of all states, 2 for the first. */
    private static ModelRecipe bert(int layers, int width, int heads, int feedForward, int pooling) {
        return ModelRecipe.llama(layers, width, heads, heads, feedForward)
                .as("bert")
                .with(new Tokens(400, 128))
                .with(Trait.ENCODER)
                .with(Trait.NO_ROPE)
                .with(Trait.BIASES)
                .with("pooling_type", pooling);
    }

    private static ModelRecipe nomicBert(int layers, int width, int heads, int feedForward) {
        return ModelRecipe.llama(layers, width, heads, heads, feedForward)
                .as("nomic-bert")
                .with(new Tokens(400, 192))
                .with(Rope.plain(1000))
                .with(Trait.ENCODER)
                .with(Trait.FUSED)
                .with(Trait.GATED)
                .with("pooling_type", 1);
    }

    private static ModelRecipe gptOss(int width, int within) {
        return ModelRecipe.llama(4, width, 4, 2, within)
                .as("gpt-oss")
                .withHeadSize(32)
                .with(new Rope(150_000, "yarn", 32, 64))
                .with(new Experts(4, 2))
                .with(Trait.BIASES)
                .with(Trait.SINKS)
                .with("attention.sliding_window", 16);
    }
}
