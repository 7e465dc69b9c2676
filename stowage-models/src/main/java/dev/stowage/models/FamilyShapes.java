package dev.stowage.models;

import dev.stowage.tensor.RopeMode;
import java.util.List;

/** The shapes of {@link ModelShapes} that have traits which Llama has not. */
final class FamilyShapes {

    /** The numbers that all shapes have, for a shorter list below. */
    private record Sizes(
            int layers, int width, int heads, int kvHeads, int headSize, int feedForward, int vocabulary) {}

    private FamilyShapes() {}

    static List<TransformerShape> all() {
        return List.of(
                gemma2("gemma-2-2b", "Gemma 2 2B", new Sizes(26, 2304, 8, 4, 256, 9216, 256_000)),
                gemma2("gemma-2-9b", "Gemma 2 9B", new Sizes(42, 3584, 16, 8, 256, 14_336, 256_000)),
                gemma3("gemma-3-270m", "Gemma 3 270M", 512, new Sizes(18, 640, 4, 1, 256, 2048, 262_144)),
                gemma3("gemma-3-1b", "Gemma 3 1B", 512, new Sizes(26, 1152, 4, 1, 256, 6912, 262_144)),
                gemma3("gemma-3-4b", "Gemma 3 4B", 1024, new Sizes(34, 2560, 8, 4, 256, 10_240, 262_144)),
                gemma3("gemma-3-12b", "Gemma 3 12B", 1024, new Sizes(48, 3840, 16, 8, 256, 15_360, 262_144)),
                phi("phi-3-mini", "Phi 3 mini 4K", 4096, new Sizes(32, 3072, 32, 32, 96, 8192, 32_064)),
                phi4Mini(),
                phi("phi-4", "Phi 4 14B", 16_384, new Sizes(40, 5120, 40, 10, 128, 17_920, 100_352)),
                smolLm3(),
                olmo2(),
                granite(),
                gptOss());
    }

    private static TransformerShape shape(
            String name, String description, Sizes sizes, float epsilon, RopeShape rope, boolean qkNorm, boolean tied) {
        return new TransformerShape(
                name,
                description,
                sizes.layers,
                sizes.width,
                sizes.heads,
                sizes.kvHeads,
                sizes.headSize,
                sizes.feedForward,
                sizes.vocabulary,
                epsilon,
                rope,
                qkNorm,
                tied,
                0,
                0);
    }

    private static TransformerTraits.Builder gemma(Sizes sizes) {
        return TransformerTraits.builder()
                .norms(NormPlacement.AROUND)
                .activation(Activation.GELU)
                .scalesQueries()
                .scales((float) Math.sqrt(sizes.width), 1f, 1f);
    }

    private static TransformerShape gemma2(String name, String description, Sizes sizes) {
        RopeShape rope = new RopeShape(RopeMode.NEOX, 10_000f, 8192, false);
        return shape(name, description, sizes, 1e-6f, rope, false, true)
                .with(gemma(sizes)
                        .caps(50f, 30f)
                        .window(AttentionWindow.inAllButEvery(2, 4096, null))
                        .build());
    }

    private static TransformerShape gemma3(String name, String description, int window, Sizes sizes) {
        int context = sizes.width > 2000 ? 131_072 : 32_768;
        RopeScaling scaling = sizes.width > 2000 ? RopeScaling.linear(1f / 8) : RopeScaling.none();
        RopeShape rope = new RopeShape(RopeMode.NEOX, 1_000_000f, context, false, scaling);
        RopeShape inWindows = new RopeShape(RopeMode.NEOX, 10_000f, context, false);
        return shape(name, description, sizes, 1e-6f, rope, true, true)
                .with(gemma(sizes)
                        .window(AttentionWindow.inAllButEvery(6, window, inWindows))
                        .build());
    }

    private static TransformerShape phi(String name, String description, int context, Sizes sizes) {
        float base = context > 4096 ? 250_000f : 10_000f;
        return phi(name, description, new RopeShape(RopeMode.NEOX, base, context, false), sizes, false);
    }

    private static TransformerShape phi(String name, String description, RopeShape rope, Sizes sizes, boolean tied) {
        return shape(name, description, sizes, 1e-5f, rope, false, tied)
                .with(TransformerTraits.builder().fused().scalesQueries().build());
    }

    private static TransformerShape phi4Mini() {
        RopeScaling scaling =
                new RopeScaling(1f, 0f, 4096, 1.19f, RopeScaling.DEFAULT_BETA_FAST, RopeScaling.DEFAULT_BETA_SLOW);
        RopeShape rope = new RopeShape(RopeMode.NEOX, 10_000f, 131_072, false, scaling, 96, true);
        return phi("phi-4-mini", "Phi 4 mini 3.8B", rope, new Sizes(32, 3072, 24, 8, 128, 8192, 200_064), true);
    }

    private static TransformerShape smolLm3() {
        RopeShape rope = new RopeShape(RopeMode.NORMAL, 5_000_000f, 65_536, false);
        Sizes sizes = new Sizes(36, 2048, 16, 4, 128, 11_008, 128_256);
        return shape("smollm-3-3b", "SmolLM 3 3B", sizes, 1e-6f, rope, false, true)
                .with(TransformerTraits.builder().ropeStep(4).build());
    }

    private static TransformerShape olmo2() {
        RopeShape rope = new RopeShape(RopeMode.NEOX, 500_000f, 4096, false);
        Sizes sizes = new Sizes(32, 4096, 32, 32, 128, 11_008, 100_352);
        return shape("olmo-2-7b", "OLMo 2 7B", sizes, 1e-6f, rope, true, false)
                .with(TransformerTraits.builder()
                        .norms(NormPlacement.AFTER)
                        .wholeNorms()
                        .build());
    }

    private static TransformerShape granite() {
        RopeShape rope = new RopeShape(RopeMode.NORMAL, 10_000_000f, 131_072, false);
        Sizes sizes = new Sizes(40, 4096, 32, 8, 128, 12_800, 49_159);
        return shape("granite-3-8b", "Granite 3.3 8B", sizes, 1e-5f, rope, false, true)
                .with(TransformerTraits.builder().scales(12f, 0.22f, 1f / 16).build())
                .withAttentionScale(1f / 128);
    }

    private static TransformerShape gptOss() {
        RopeScaling scaling = new RopeScaling(1f / 32, 1f, 4096, 1f, 32f, 1f);
        RopeShape rope = new RopeShape(RopeMode.NEOX, 150_000f, 131_072, false, scaling);
        Sizes sizes = new Sizes(24, 2880, 64, 8, 64, 2880, 201_088);
        return shape("gpt-oss-20b", "gpt-oss 20B", sizes, 1e-5f, rope, false, false)
                .withExperts(32, 4)
                .with(TransformerTraits.builder()
                        .sinks()
                        .lateShares()
                        .activation(Activation.CLAMPED_SILU)
                        .window(AttentionWindow.inAllButEvery(2, 128, null))
                        .build());
    }
}
