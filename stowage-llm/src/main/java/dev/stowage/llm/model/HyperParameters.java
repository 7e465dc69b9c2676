package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.models.RopeScaling;
import dev.stowage.models.RopeShape;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.RopeMode;

/**
 * The numbers of a model, read by the keys of its architecture: {@code count("block_count")} is the value of {@code
 * llama.block_count} in a Llama. What is missing, too large or not the same in all layers is an error that names the
 * key.
 */
public final class HyperParameters {

    private final GgufContents contents;
    private final GgufMetadata metadata;
    private final String prefix;

    HyperParameters(GgufContents contents) {
        this.contents = contents;
        this.metadata = contents.metadata();
        this.prefix = metadata.architecture() + ".";
    }

    /** The file, for messages. */
    public String source() {
        return contents.parts().getFirst().file().toString();
    }

    /** Whether there is such a key. */
    public boolean has(String key) {
        return metadata.has(prefix + key);
    }

    /** Whether the model has a tensor of that name. */
    public boolean hasTensor(String name) {
        return contents.find(name).isPresent();
    }

    /** A whole number from 0 on; where the file has one for each layer, all must be the same. */
    public int count(String key) {
        String whole = prefix + key;
        long value = metadata.get(whole) instanceof GgufValue.Array(GgufArray elements)
                ? same(whole, elements)
                : metadata.whole(whole);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new MalformedDataException(
                    source() + ": key '" + whole + "' is " + value + ", but must be from 0 to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    private long same(String key, GgufArray elements) {
        long first = elements.size() == 0 ? 0 : elements.whole(0);
        for (int i = 1; i < elements.size(); i++) {
            if (elements.whole(i) != first) {
                throw new MalformedDataException(source() + ": key '" + key + "' is " + first + " in layer 0 and "
                        + elements.whole(i) + " in layer " + i
                        + ": models whose layers differ in shape cannot be run here");
            }
        }
        return first;
    }

    /** As {@link #count(String)}, or another number where the key is missing. */
    public int count(String key, int otherwise) {
        return has(key) ? count(key) : otherwise;
    }

    /** A floating-point number. */
    public float number(String key) {
        return (float) metadata.real(prefix + key);
    }

    /** A floating-point number, or another where the key is missing. */
    public float number(String key, float otherwise) {
        return has(key) ? number(key) : otherwise;
    }

    /**
     * A decoder with the keys that all families share.
     *
     * @param mode which elements of a head are turned together
     * @param qkNorm whether each head of queries and keys has a norm
     * @param feedForward the length within the feed-forward block, or within each expert
     */
    public TransformerShape transformer(RopeMode mode, boolean qkNorm, int feedForward) {
        int width = count("embedding_length");
        int heads = count("attention.head_count");
        int headSize = headSize(width, heads);
        int experts = count("expert_count", 0);
        try {
            return new TransformerShape(
                    metadata.text("general.name", metadata.architecture()),
                    "a model of the architecture " + metadata.architecture(),
                    count("block_count"),
                    width,
                    heads,
                    count("attention.head_count_kv", heads),
                    headSize,
                    feedForward,
                    vocabulary(),
                    number("attention.layer_norm_rms_epsilon"),
                    rope(mode),
                    qkNorm,
                    !hasTensor("output.weight"),
                    experts,
                    experts == 0 ? 0 : count("expert_used_count"),
                    number("expert_weights_scale", 0f),
                    number("attention.scale", 0f));
        } catch (MalformedDataException e) {
            throw e;
        } catch (StowageException e) {
            throw new MalformedDataException(source() + ": " + e.getMessage(), e);
        }
    }

    private int headSize(int width, int heads) {
        if (heads == 0) {
            throw new MalformedDataException(source() + ": key '" + prefix + "attention.head_count' is 0");
        }
        int keys = count("attention.key_length", width / heads);
        int values = count("attention.value_length", keys);
        int turned = count("rope.dimension_count", keys);
        if (keys != values || keys != turned) {
            throw new MalformedDataException(source() + ": heads have " + keys + " elements for keys, " + values
                    + " for values and " + turned
                    + " that are rotated by position: only models where these are the same"
                    + " can be run here");
        }
        return keys;
    }

    private int vocabulary() {
        long rows = contents.tensor("token_embd.weight").shape().d1();
        if (rows > Integer.MAX_VALUE) {
            throw new MalformedDataException(
                    source() + ": tensor 'token_embd.weight' has " + rows + " rows, more than there can be tokens");
        }
        return (int) rows;
    }

    private RopeShape rope(RopeMode mode) {
        String kind = metadata.text(prefix + "rope.scaling.type", "linear");
        float factor = number("rope.scaling.factor", number("rope.scale_linear", 0f));
        float scale = factor == 0f || kind.equals("none") ? 1f : 1f / factor;
        boolean yarn = kind.equals("yarn");
        if (!yarn && !kind.equals("linear") && !kind.equals("none")) {
            throw new MalformedDataException(source() + ": key '" + prefix + "rope.scaling.type' is '" + kind
                    + "'; only none, linear and yarn can be run here");
        }
        RopeScaling scaling = new RopeScaling(
                scale,
                number("rope.scaling.yarn_ext_factor", yarn ? 1f : 0f),
                count("rope.scaling.original_context_length", 0),
                number("rope.scaling.attn_factor", 1f),
                number("rope.scaling.yarn_beta_fast", RopeScaling.DEFAULT_BETA_FAST),
                number("rope.scaling.yarn_beta_slow", RopeScaling.DEFAULT_BETA_SLOW));
        return new RopeShape(
                mode,
                number("rope.freq_base", 10_000f),
                count("context_length"),
                hasTensor("rope_freqs.weight"),
                scaling);
    }
}
