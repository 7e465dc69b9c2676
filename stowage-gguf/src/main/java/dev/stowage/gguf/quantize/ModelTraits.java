package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufValue;
import java.util.Collection;
import java.util.Set;

/**
 * The few facts about a model that decide the types of its tensors.
 *
 * @param architecture its name, empty where it has none
 * @param layers how many there are
 * @param experts how many each layer has, 0 where it has none
 * @param sharing how many heads share one head of keys and values
 * @param shortValues whether values are so few beside everything else that more bits for them cost nothing
 * @param tied whether the embeddings serve as the output too
 */
record ModelTraits(String architecture, long layers, long experts, long sharing, boolean shortValues, boolean tied) {

    private static final Set<String> LARGE_AT_80_LAYERS = Set.of("qwen2", "deci", "olmo");

    static ModelTraits of(GgufMetadata metadata, Collection<GgufTensor> tensors) {
        String name = metadata.text(GgufMetadata.ARCHITECTURE, "");
        long layers = metadata.whole(name + ".block_count", 0);
        long heads = first(metadata, name + ".attention.head_count", 1);
        long shared = first(metadata, name + ".attention.head_count_kv", heads);
        boolean large = switch (name) {
            case "llama" -> layers == 80 && heads != shared;
            case "jais2" -> layers == 68;
            default -> layers == 80 && LARGE_AT_80_LAYERS.contains(name);
        };
        return new ModelTraits(
                name,
                layers,
                metadata.whole(name + ".expert_count", 0),
                shared == 0 ? 0 : heads / shared,
                large,
                tensors.stream().noneMatch(tensor -> tensor.name().equals("output.weight")));
    }

    /** A number, or the first of one for each layer. */
    private static long first(GgufMetadata metadata, String key, long otherwise) {
        return metadata.find(key)
                .map(value -> value instanceof GgufValue.Array(var elements)
                        ? (elements.size() == 0 ? otherwise : elements.whole(0))
                        : metadata.whole(key))
                .orElse(otherwise);
    }

    boolean isFalcon() {
        return architecture.equals("falcon");
    }
}
