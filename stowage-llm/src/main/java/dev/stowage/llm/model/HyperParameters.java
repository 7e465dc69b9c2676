package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.Printable;
import dev.stowage.models.AttentionWindow;
import dev.stowage.models.RopeScaling;
import dev.stowage.models.RopeShape;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a model, read by the keys of its architecture: {@code count("block_count")} is the value of {@code
 * llama.block_count} in a Llama. What is missing, too large or not the same in all layers is an error that names the
 * key.
 */
public final class HyperParameters {

    /** Kinds of scaling of the rope that treat all angles alike. */
    private static final Set<String> UNSTRETCHED_KINDS = Set.of("none", "linear", "longrope");

    private final GgufContents contents;
    private final GgufMetadata metadata;
    private final String prefix;
    private final List<String> problems = new ArrayList<>();

    HyperParameters(GgufContents contents) {
        this.contents = contents;
        this.metadata = contents.metadata();
        this.prefix = metadata.architecture() + ".";
    }

    /** What the numbers that were read say and is not supported; such a model is refused once all of it is known. */
    List<String> problems() {
        return problems;
    }

    /** Says that the value of a key is not supported; such a model is refused once all of it is known. */
    void refuse(String key, String why) {
        problems.add("key '" + prefix + key + "' is " + why);
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

    /** A floating-point number, which must be finite. */
    public float number(String key) {
        float value = (float) metadata.real(prefix + key);
        if (!Float.isFinite(value)) {
            throw new MalformedDataException(
                    source() + ": key '" + prefix + key + "' is " + value + ", but must be a finite number");
        }
        return value;
    }

    /** A floating-point number above 0, such as one that something is divided by. */
    public float numberAbove0(String key) {
        float value = number(key);
        if (!(value > 0)) {
            throw new MalformedDataException(
                    source() + ": key '" + prefix + key + "' is " + value + ", but must be above 0");
        }
        return value;
    }

    /** As {@link #numberAbove0(String)}, or another number where the key is missing. */
    public float numberAbove0(String key, float otherwise) {
        return has(key) ? numberAbove0(key) : otherwise;
    }

    /** Whether something is so, or what it is where the key is missing. */
    public boolean flag(String key, boolean otherwise) {
        return metadata.bool(prefix + key, otherwise);
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
        return transformer(mode, qkNorm, feedForward, "attention.layer_norm_rms_epsilon");
    }

    /** The same with another key for what the norms add before they divide. */
    TransformerShape transformer(RopeMode mode, boolean qkNorm, int feedForward, String epsilon) {
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
                    number(epsilon),
                    rope(mode, headSize),
                    qkNorm,
                    !hasTensor("output.weight"),
                    experts,
                    experts == 0 ? 0 : count("expert_used_count"),
                    number("expert_weights_scale", 0f),
                    number("attention.scale", 0f),
                    TransformerTraits.NONE);
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
        if (keys != values) {
            problems.add("heads have " + keys + " elements for keys and " + values
                    + " for values: only models where these are the same can be run here");
        }
        return keys;
    }

    private int rotated(int headSize) {
        int rotated = count("rope.dimension_count", headSize);
        if (rotated < 2 || rotated > headSize || rotated % 2 != 0) {
            throw new MalformedDataException(source() + ": key '" + prefix + "rope.dimension_count' is " + rotated
                    + ", but must be even and from 2 to the " + headSize + " elements of a head");
        }
        return rotated == headSize ? 0 : rotated;
    }

    /**
     * The layers that look only at the last tokens, where the file says how many these are; none where it does not.
     *
     * @param period every so-many-th layer has no window, where the file does not say which
     * @param size how many tokens they look at where the file does not say; 0 for no window
     * @param rope how positions are brought in in these layers; null where it is as in the others
     */
    public AttentionWindow window(int period, int size, @Nullable RopeShape rope) {
        int tokens = count("attention.sliding_window", size);
        String key = prefix + "attention.sliding_window_pattern";
        if (tokens == 0) {
            return AttentionWindow.NONE;
        }
        if (metadata.find(key).orElse(null) instanceof GgufValue.Array(GgufArray elements)) {
            return new AttentionWindow(tokens, pattern(key, elements), rope);
        }
        // A longer period than there are layers is as good as one more, and a file may claim any.
        int every = Math.min(count("attention.sliding_window_pattern", period), count("block_count") + 1);
        return AttentionWindow.inAllButEvery(every, tokens, rope);
    }

    private List<Boolean> pattern(String key, GgufArray elements) {
        int layers = count("block_count");
        if (elements.size() < layers) {
            throw new MalformedDataException(
                    source() + ": key '" + key + "' has " + elements.size() + " elements for " + layers + " layers");
        }
        boolean whole = elements.elementType().isWhole();
        return IntStream.range(0, layers)
                .mapToObj(layer -> whole ? elements.whole(layer) != 0 : elements.bool(layer))
                .toList();
    }

    /** The rope of layers with a window: its own base, and nothing stretched. */
    public RopeShape windowRope(RopeShape others, float base) {
        return new RopeShape(
                others.mode(),
                number("rope.freq_base_swa", base),
                others.trainedContext(),
                false,
                RopeScaling.none(),
                others.dimensions(),
                false);
    }

    private int vocabulary() {
        // Asked for here, so that a file without it is refused by its name.
        return rows(contents.tensor("token_embd.weight").name());
    }

    /** How many rows a tensor has; 0 where there is none of that name. */
    int rows(String tensor) {
        long rows = contents.find(tensor).map(found -> found.shape().d1()).orElse(0L);
        if (rows > Integer.MAX_VALUE) {
            throw new MalformedDataException(
                    source() + ": tensor '" + tensor + "' has " + rows + " rows, more than there can be tokens");
        }
        return (int) rows;
    }

    private RopeShape rope(RopeMode mode, int headSize) {
        String kind = metadata.text(prefix + "rope.scaling.type", "linear");
        float factor = number("rope.scaling.factor", number("rope.scale_linear", 0f));
        float scale = factor == 0f || kind.equals("none") ? 1f : 1f / factor;
        boolean yarn = kind.equals("yarn");
        if (!yarn && !UNSTRETCHED_KINDS.contains(kind)) {
            problems.add("key '" + prefix + "rope.scaling.type' is '" + Printable.brief(kind)
                    + "'; only none, linear, longrope and yarn can be run here");
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
                scaling,
                rotated(headSize),
                hasTensor("rope_factors_long.weight"));
    }
}
