package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.models.AttentionWindow;
import dev.stowage.models.RopeScaling;
import dev.stowage.models.RopeShape;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a model, read by the keys of its architecture: {@code count("block_count")} is the value of {@code
 * llama.block_count} in a Llama. What is missing, too large or not the same in all layers is an error that names the
 * key.
 */
public final class HyperParameters {

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
    public void refuse(String key, String why) {
        problems.add(key(key) + " is " + why);
    }

    /** The file, for messages. */
    public String source() {
        return contents.parts().getFirst().file().toString();
    }

    /** A key as files have it, for messages. */
    String key(String key) {
        return "key '" + prefix + key + "'";
    }

    /** A text, or another where the key is missing. */
    String text(String key, String otherwise) {
        return metadata.text(prefix + key, otherwise);
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
            throw wrong(key, value, "from 0 to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /** As {@link #count(String)}, but not 0. */
    public int countAbove0(String key) {
        int value = count(key);
        if (value == 0) {
            throw wrong(key, value, "above 0");
        }
        return value;
    }

    /** The error of a key that has an impossible value. */
    MalformedDataException wrong(String key, Object value, String must) {
        return new MalformedDataException(source() + ": " + key(key) + " is " + value + ", but must be " + must);
    }

    private long same(String key, GgufArray elements) {
        if (elements.size() == 0 || !elements.elementType().isWhole()) {
            throw new MalformedDataException(source() + ": key '" + key + "' is an array of " + elements.size() + " "
                    + elements.elementType() + ", but must be a whole number, or one for each layer");
        }
        long first = elements.whole(0);
        for (int i = 1; i < elements.size(); i++) {
            if (elements.whole(i) != first) {
                problems.add("key '" + key + "' is " + first + " in layer 0 and " + elements.whole(i) + " in layer " + i
                        + ": models whose layers differ in shape cannot be run here");
                break;
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
            throw wrong(key, value, "a finite number");
        }
        return value;
    }

    /** A floating-point number above 0, such as one that something is divided by. */
    public float numberAbove0(String key) {
        float value = number(key);
        if (!(value >= Float.MIN_NORMAL)) {
            throw wrong(key, value, value > 0 ? "at least " + Float.MIN_NORMAL : "above 0");
        }
        return value;
    }

    /** A floating-point number from 0 on, such as a limit, or another where the key is missing. */
    public float numberFrom0(String key, float otherwise) {
        float value = number(key, otherwise);
        if (!(value >= 0)) {
            throw wrong(key, value, "at least 0");
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
        if (!flag("attention.causal", true)) {
            refuse("attention.causal", "false: tokens of a decoder that look at later ones are not supported");
        }
        return transformer(mode, qkNorm, feedForward, "attention.layer_norm_rms_epsilon");
    }

    /**
     * The same with another key for what the norms add before they divide, such as that of encoders, and whatever tokens look
     * at.
     */
    public TransformerShape transformer(RopeMode mode, boolean qkNorm, int feedForward, String epsilon) {
        int width = countAbove0("embedding_length");
        int heads = countAbove0("attention.head_count");
        HeadNumbers ofHeads = new HeadNumbers(this);
        int headSize = ofHeads.size(width, heads);
        int experts = count("expert_count", 0);
        if (feedForward < 1) {
            String ofExperts = "expert_feed_forward_length";
            throw wrong(count(ofExperts, 1) < 1 ? ofExperts : "feed_forward_length", feedForward, "above 0");
        }
        try {
            return new TransformerShape(
                    metadata.text("general.name", metadata.architecture()),
                    "a model of the architecture " + metadata.architecture(),
                    countAbove0("block_count"),
                    width,
                    heads,
                    ofHeads.shared(heads),
                    headSize,
                    feedForward,
                    vocabulary(),
                    numberFrom0(epsilon, number(epsilon)),
                    ofHeads.rope(mode, headSize),
                    qkNorm,
                    !hasTensor("output.weight"),
                    experts,
                    experts == 0 ? 0 : usedExperts(experts),
                    number("expert_weights_scale", 0f),
                    number("attention.scale", 0f),
                    TransformerTraits.NONE);
        } catch (MalformedDataException e) {
            throw e;
        } catch (StowageException e) {
            throw new MalformedDataException(source() + ": " + e.getMessage(), e);
        }
    }

    private int usedExperts(int experts) {
        int used = countAbove0("expert_used_count");
        if (used > experts) {
            throw wrong("expert_used_count", used, "at most the " + experts + " of " + key("expert_count"));
        }
        return used;
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
        // A longer period than there are layers is as good as one more. A file may claim any number of both, but a
        // layer has
        // at least one tensor.
        int most = Math.min(count("block_count"), contents.tensors().size()) + 1;
        int every = Math.min(count("attention.sliding_window_pattern", period), most);
        return AttentionWindow.inAllButEvery(every, tokens, rope);
    }

    private List<Boolean> pattern(String key, GgufArray elements) {
        int layers = count("block_count");
        if (elements.size() < layers) {
            throw new MalformedDataException(
                    source() + ": key '" + key + "' has " + elements.size() + " elements for " + layers + " layers");
        }
        boolean whole = elements.elementType().isWhole();
        if (!whole && elements.elementType() != GgufType.BOOL) {
            throw new MalformedDataException(source() + ": key '" + key + "' is an array of " + elements.elementType()
                    + ", but must be one of truth values");
        }
        return IntStream.range(0, layers)
                .mapToObj(layer -> whole ? elements.whole(layer) != 0 : elements.bool(layer))
                .toList();
    }

    /** The base of the rope of layers with a window, or another where the file has none. */
    public float windowBase(float otherwise) {
        return numberAbove0("rope.freq_base_swa", otherwise);
    }

    /** The rope of layers with a window: its own base, and nothing stretched. */
    public static RopeShape windowRope(RopeShape others, float base) {
        return new RopeShape(
                others.mode(), base, others.trainedContext(), false, RopeScaling.none(), others.dimensions(), false);
    }

    private int vocabulary() {
        // Asked for here, so that a file without it is refused by its name.
        return rows(contents.tensor("token_embd.weight").name());
    }

    /** How many rows a tensor has; 0 where there is none of that name. */
    public int rows(String tensor) {
        long rows = contents.find(tensor).map(found -> found.shape().d1()).orElse(0L);
        if (rows > Integer.MAX_VALUE) {
            throw new MalformedDataException(
                    source() + ": tensor '" + tensor + "' has " + rows + " rows, more than there can be tokens");
        }
        return (int) rows;
    }
}
