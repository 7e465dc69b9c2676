package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.RopeMode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The models known by name, with the hyper-parameters their publishers give. */
public final class ModelShapes {

    private static final RopeShape LLAMA_3_ROPE = new RopeShape(RopeMode.NORMAL, 500_000f, 131_072, true);
    private static final RopeShape MISTRAL_ROPE = new RopeShape(RopeMode.NORMAL, 1_000_000f, 32_768, false);
    private static final RopeShape QWEN_3_ROPE = new RopeShape(RopeMode.NEOX, 1_000_000f, 40_960, false);

    private static final List<ModelShape> ALL = Stream.<ModelShape>concat(
                    Stream.<ModelShape>of(
                            new TransformerShape(
                                    "small",
                                    "a small transformer to try things out",
                                    4,
                                    512,
                                    8,
                                    2,
                                    64,
                                    1536,
                                    32_000,
                                    1e-5f,
                                    new RopeShape(RopeMode.NORMAL, 10_000f, 4096, false),
                                    false,
                                    true,
                                    0,
                                    0),
                            new TransformerShape(
                                    "tinyllama-1.1b",
                                    "TinyLlama 1.1B",
                                    22,
                                    2048,
                                    32,
                                    4,
                                    64,
                                    5632,
                                    32_000,
                                    1e-5f,
                                    new RopeShape(RopeMode.NORMAL, 10_000f, 2048, false),
                                    false,
                                    false,
                                    0,
                                    0),
                            llama3("llama-3-1b", "Llama 3.2 1B", 16, 2048, 64, 8192, true),
                            llama3("llama-3-8b", "Llama 3.1 8B", 32, 4096, 128, 14_336, false),
                            llama3("llama-3-70b", "Llama 3.1 70B", 80, 8192, 128, 28_672, false),
                            new TransformerShape(
                                    "mistral-7b",
                                    "Mistral 7B v0.3",
                                    32,
                                    4096,
                                    32,
                                    8,
                                    128,
                                    14_336,
                                    32_768,
                                    1e-5f,
                                    MISTRAL_ROPE,
                                    false,
                                    false,
                                    0,
                                    0),
                            new TransformerShape(
                                    "mixtral-8x7b",
                                    "Mixtral 8x7B",
                                    32,
                                    4096,
                                    32,
                                    8,
                                    128,
                                    14_336,
                                    32_000,
                                    1e-5f,
                                    MISTRAL_ROPE,
                                    false,
                                    false,
                                    8,
                                    2),
                            qwen3("qwen-3-0.6b", "Qwen 3 0.6B", 28, 1024, 16, 3072, true),
                            qwen3("qwen-3-8b", "Qwen 3 8B", 36, 4096, 32, 12_288, false),
                            new ResNetShape("resnet-50", "ResNet-50 for ImageNet", List.of(3, 4, 6, 3), 64, 1000, 224)),
                    FamilyShapes.all().stream())
            .toList();

    private ModelShapes() {}

    private static TransformerShape llama3(
            String name, String description, int layers, int width, int headSize, int feedForward, boolean tied) {
        return new TransformerShape(
                name,
                description,
                layers,
                width,
                width / headSize,
                8,
                headSize,
                feedForward,
                128_256,
                1e-5f,
                LLAMA_3_ROPE,
                false,
                tied,
                0,
                0);
    }

    private static TransformerShape qwen3(
            String name, String description, int layers, int width, int heads, int feedForward, boolean tied) {
        return new TransformerShape(
                name,
                description,
                layers,
                width,
                heads,
                8,
                128,
                feedForward,
                151_936,
                1e-6f,
                QWEN_3_ROPE,
                true,
                tied,
                0,
                0);
    }

    /** All of them, the small one first. */
    public static List<ModelShape> all() {
        return ALL;
    }

    /**
     * The model of that name, upper or lower case.
     *
     * @throws InvalidGraphException if there is none; the message lists those there are
     */
    public static ModelShape named(String name) {
        return ALL.stream()
                .filter(shape -> shape.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> unknown(name, ALL));
    }

    /**
     * The transformer of that name, upper or lower case.
     *
     * @throws InvalidGraphException if there is none; the message lists those there are
     */
    public static TransformerShape transformer(String name) {
        List<TransformerShape> transformers = ALL.stream()
                .filter(TransformerShape.class::isInstance)
                .map(TransformerShape.class::cast)
                .toList();
        return transformers.stream()
                .filter(shape -> shape.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> unknown(name, transformers));
    }

    private static InvalidGraphException unknown(String name, List<? extends ModelShape> known) {
        return new InvalidGraphException("unknown model '" + name + "'; known are "
                + known.stream().map(ModelShape::name).collect(Collectors.joining(", ")));
    }
}
