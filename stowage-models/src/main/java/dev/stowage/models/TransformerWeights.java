package dev.stowage.models;

import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a transformer, named and ordered as in a GGUF file. What only some models have is null in the others.
 */
public final class TransformerWeights {

    static final String EMBEDDINGS = "token_embd.weight";
    static final String OUTPUT = "output.weight";
    static final String ROPE_FACTORS = "rope_freqs.weight";

    /** A matrix and the bias that is added to its product. */
    public record Linear(Tensor weight, @Nullable Tensor bias) {}

    /** The weights of one layer; the norms of queries and keys are there only where the shape has them. */
    public record Layer(
            Tensor attentionNorm,
            Linear query,
            Linear key,
            Linear value,
            Linear output,
            @Nullable Tensor queryNorm,
            @Nullable Tensor keyNorm,
            Tensor feedForwardNorm,
            FeedForward feedForward,
            @Nullable Tensor ropeFactors) {

        /** All of them. */
        public List<Tensor> tensors() {
            List<Tensor> all = new ArrayList<>();
            add(all, attentionNorm, queryNorm, keyNorm, feedForwardNorm, ropeFactors);
            for (Linear linear : List.of(query, key, value, output)) {
                add(all, linear.weight, linear.bias);
            }
            switch (feedForward) {
                case Dense(Linear gate, Linear down, Linear up) ->
                    add(all, gate.weight, gate.bias, down.weight, down.bias, up.weight, up.bias);
                case Experts(Tensor router, Tensor gate, Tensor down, Tensor up) -> add(all, router, gate, down, up);
            }
            return all;
        }
    }

    /** What follows the attention of a layer. */
    public sealed interface FeedForward {}

    /** One feed-forward block for all tokens. */
    public record Dense(Linear gate, Linear down, Linear up) implements FeedForward {}

    /** Several experts side by side, and the router matrix that decides which of them a token goes through. */
    public record Experts(Tensor router, Tensor gate, Tensor down, Tensor up) implements FeedForward {}

    private final TransformerShape shape;
    private final WeightSource source;
    private final Tensor embeddings;
    private final Tensor outputNorm;
    private final Linear output;
    private final List<Layer> layers = new ArrayList<>();
    private final Map<Tensor, Integer> parts = new HashMap<>();

    /**
     * The weights of that model from there.
     *
     * @throws dev.stowage.error.StowageException if one is missing or has other dimensions than the shape says
     */
    public TransformerWeights(TransformerShape shape, WeightSource source) {
        this.shape = shape;
        this.source = source;
        this.embeddings = source.weight(EMBEDDINGS, shape.width(), shape.vocabulary());
        this.outputNorm = vector("output_norm", shape.width());
        this.output = new Linear(
                source.find(OUTPUT, shape.width(), shape.vocabulary()).orElseGet(() -> source.tiedOutput(embeddings)),
                source.find("output.bias", shape.vocabulary()).orElse(null));
        for (int i = 0; i < shape.layers(); i++) {
            layers.add(read(i));
        }
        for (int part = LayerPlacement.INPUT; part <= shape.layers(); part++) {
            for (Tensor tensor : tensors(part)) {
                parts.putIfAbsent(tensor, part);
            }
        }
    }

    /**
     * The weights of a part: a layer by its number, {@link LayerPlacement#INPUT} before the first, or the number of
     * layers for the output. Where the source gives several parts one tensor, each of them has it.
     */
    public List<Tensor> tensors(int part) {
        if (part == LayerPlacement.INPUT) {
            return List.of(embeddings);
        }
        if (part < shape.layers()) {
            return layers.get(part).tensors();
        }
        List<Tensor> last = new ArrayList<>();
        add(last, outputNorm, output.weight, output.bias);
        return last;
    }

    /** The part of every weight; what several parts read belongs to the first of them. */
    Map<Tensor, Integer> parts() {
        return parts;
    }

    private Layer read(int number) {
        String block = "blk." + number + ".";
        // Asked for first, so that they come before the layers where one tensor serves all of them.
        Tensor ropeFactors = source.ropeFactors(number, shape.headSize() / 2).orElse(null);
        return new Layer(
                vector(block + "attn_norm", shape.width()),
                linear(block + "attn_q", shape.width(), shape.queryWidth()),
                linear(block + "attn_k", shape.width(), shape.kvWidth()),
                linear(block + "attn_v", shape.width(), shape.kvWidth()),
                linear(block + "attn_output", shape.queryWidth(), shape.width()),
                shape.qkNorm() ? vector(block + "attn_q_norm", shape.headSize()) : null,
                shape.qkNorm() ? vector(block + "attn_k_norm", shape.headSize()) : null,
                vector(block + "ffn_norm", shape.width()),
                shape.hasExperts() ? experts(block) : dense(block),
                ropeFactors);
    }

    private static void add(List<Tensor> all, @Nullable Tensor... some) {
        for (Tensor tensor : some) {
            if (tensor != null) {
                all.add(tensor);
            }
        }
    }

    private FeedForward dense(String block) {
        return new Dense(
                linear(block + "ffn_gate", shape.width(), shape.feedForward()),
                linear(block + "ffn_down", shape.feedForward(), shape.width()),
                linear(block + "ffn_up", shape.width(), shape.feedForward()));
    }

    private FeedForward experts(String block) {
        int experts = shape.experts();
        return new Experts(
                matrix(block + "ffn_gate_inp", shape.width(), experts),
                matrix(block + "ffn_gate_exps", shape.width(), shape.feedForward(), experts),
                matrix(block + "ffn_down_exps", shape.feedForward(), shape.width(), experts),
                matrix(block + "ffn_up_exps", shape.width(), shape.feedForward(), experts));
    }

    private Tensor vector(String name, long length) {
        return source.weight(name + ".weight", length);
    }

    private Tensor matrix(String name, long... dimensions) {
        return source.weight(name + ".weight", dimensions);
    }

    private Linear linear(String name, long from, long to) {
        return new Linear(
                matrix(name, from, to), source.find(name + ".bias", to).orElse(null));
    }

    public Tensor embeddings() {
        return embeddings;
    }

    public Tensor outputNorm() {
        return outputNorm;
    }

    /** The matrix that gives the logits; the embeddings themselves, or a copy of them, where they are tied. */
    public Linear output() {
        return output;
    }

    public Layer layer(int index) {
        return layers.get(index);
    }
}
