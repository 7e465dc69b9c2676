package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.Printable;
import dev.stowage.models.RopeScaling;
import dev.stowage.models.RopeShape;
import dev.stowage.tensor.RopeMode;
import java.util.Set;

/** The numbers of heads and of their rope, in which several keys must fit each other. */
final class HeadNumbers {

    /** Kinds of scaling of the rope that treat all angles alike. */
    private static final Set<String> UNSTRETCHED_KINDS = Set.of("none", "linear", "longrope");

    private final HyperParameters numbers;

    HeadNumbers(HyperParameters numbers) {
        this.numbers = numbers;
    }

    int shared(int heads) {
        int shared = numbers.has("attention.head_count_kv") ? numbers.countAbove0("attention.head_count_kv") : heads;
        if (heads % shared != 0) {
            throw numbers.wrong(
                    "attention.head_count",
                    heads,
                    "a multiple of the " + shared + " heads for keys and values of "
                            + numbers.key("attention.head_count_kv"));
        }
        return shared;
    }

    int size(int width, int heads) {
        int keys = numbers.count("attention.key_length", width / heads);
        if (keys < 2 || keys % 2 != 0) {
            throw new MalformedDataException(numbers.source() + ": by " + headKeys() + " heads have " + keys
                    + " elements, but must have at least 2 and an even number");
        }
        int values = numbers.count("attention.value_length", keys);
        if (keys != values) {
            numbers.problems()
                    .add("by " + headKeys() + " heads have " + keys + " elements for keys, and by "
                            + numbers.key("attention.value_length") + " " + values
                            + " for values: only models where these are the same can be run here");
        }
        return keys;
    }

    /** What the size of heads follows from. */
    private String headKeys() {
        return numbers.has("attention.key_length")
                ? numbers.key("attention.key_length")
                : numbers.key("embedding_length") + " and " + numbers.key("attention.head_count");
    }

    private int rotated(int headSize) {
        int rotated = numbers.count("rope.dimension_count", headSize);
        if (rotated < 2 || rotated > headSize || rotated % 2 != 0) {
            throw numbers.wrong(
                    "rope.dimension_count",
                    rotated,
                    "even and from 2 to the " + headSize + " elements that a head has by " + headKeys());
        }
        return rotated == headSize ? 0 : rotated;
    }

    RopeShape rope(RopeMode mode, int headSize) {
        String kind = numbers.text("rope.scaling.type", "linear");
        float factor = numbers.number("rope.scaling.factor", numbers.number("rope.scale_linear", 0f));
        float scale = factor == 0f || kind.equals("none") ? 1f : 1f / factor;
        if (!(scale > 0) || Float.isInfinite(scale)) {
            throw numbers.wrong(
                    numbers.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear",
                    factor,
                    "above 0");
        }
        boolean yarn = kind.equals("yarn");
        if (!yarn && !UNSTRETCHED_KINDS.contains(kind)) {
            numbers.problems()
                    .add(numbers.key("rope.scaling.type") + " is '" + Printable.brief(kind)
                            + "'; only none, linear, longrope and yarn can be run here");
        }
        RopeScaling scaling = new RopeScaling(
                scale,
                extensionFactor(yarn ? 1f : 0f),
                numbers.count("rope.scaling.original_context_length", 0),
                numbers.number("rope.scaling.attn_factor", 1f),
                numbers.number("rope.scaling.yarn_beta_fast", RopeScaling.DEFAULT_BETA_FAST),
                numbers.number("rope.scaling.yarn_beta_slow", RopeScaling.DEFAULT_BETA_SLOW));
        return new RopeShape(
                mode,
                numbers.numberAbove0("rope.freq_base", 10_000f),
                numbers.countAbove0("context_length"),
                numbers.hasTensor("rope_freqs.weight"),
                scaling,
                rotated(headSize),
                numbers.hasTensor("rope_factors_long.weight"));
    }

    /** A negative one stands for none: llama.cpp writes that into the files it saves. */
    private float extensionFactor(float otherwise) {
        float factor = numbers.number("rope.scaling.yarn_ext_factor", otherwise);
        return factor < 0f ? otherwise : factor;
    }
}
