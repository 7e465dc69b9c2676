package dev.stowage.models;

import dev.stowage.models.TransformerWeights.Attention;
import dev.stowage.models.TransformerWeights.FeedForward;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The weights of an encoder, named as in a GGUF file. All of them belong to the input or to a layer: after the last layer
 * there is nothing.
 */
public final class EncoderWeights implements PartWeights {

    /** The weight and the bias of a layer norm. */
    public record Norm(Tensor weight, Tensor bias) {}

    /** The weights of one layer, each norm after what it follows. */
    public record Layer(Attention attention, Norm attentionNorm, FeedForward feedForward, Norm feedForwardNorm) {

        /** All of them. */
        public List<Tensor> tensors() {
            List<Tensor> all = new ArrayList<>();
            LayerWeights.add(all, attention);
            LayerWeights.add(all, attentionNorm.weight, attentionNorm.bias);
            LayerWeights.add(all, feedForward);
            LayerWeights.add(all, feedForwardNorm.weight, feedForwardNorm.bias);
            return all;
        }
    }

    private final Tensor embeddings;
    private final @Nullable Tensor types;
    private final @Nullable Tensor positions;
    private final Norm embeddingNorm;
    private final List<Layer> layers = new ArrayList<>();
    private final Map<Tensor, Integer> parts = new HashMap<>();

    /**
     * The weights of that model from there.
     *
     * @throws dev.stowage.error.StowageException if one is missing or has other dimensions than the shape says
     */
    public EncoderWeights(TransformerShape shape, EncoderTraits traits, WeightSource source) {
        long width = shape.width();
        this.embeddings = source.weight(TransformerWeights.EMBEDDINGS, width, shape.vocabulary());
        this.types = traits.tokenTypes() == 0 ? null : source.weight("token_types.weight", width, traits.tokenTypes());
        this.positions = traits.positions()
                ? source.weight("position_embd.weight", width, shape.rope().trainedContext())
                : null;
        this.embeddingNorm = norm(source, "token_embd_norm", width);
        LayerWeights read = new LayerWeights(shape, source);
        for (int i = 0; i < shape.layers(); i++) {
            String block = LayerWeights.block(i);
            layers.add(new Layer(
                    read.attention(block, read.ropeFactors(i)),
                    norm(source, block + "attn_output_norm", width),
                    read.dense(block),
                    norm(source, block + "layer_output_norm", width)));
        }
        for (int part = LayerPlacement.INPUT; part < layers.size(); part++) {
            for (Tensor tensor : tensors(part)) {
                parts.putIfAbsent(tensor, part);
            }
        }
    }

    private static Norm norm(WeightSource source, String name, long width) {
        return new Norm(source.weight(name + ".weight", width), source.weight(name + ".bias", width));
    }

    @Override
    public List<Tensor> tensors(int part) {
        if (part == LayerPlacement.INPUT) {
            List<Tensor> first = new ArrayList<>();
            LayerWeights.add(first, embeddings, types, positions, embeddingNorm.weight, embeddingNorm.bias);
            return first;
        }
        return part < layers.size() ? layers.get(part).tensors() : List.of();
    }

    /** The part of every weight. */
    Map<Tensor, Integer> parts() {
        return parts;
    }

    public Tensor embeddings() {
        return embeddings;
    }

    /** The vectors of the kinds of tokens, if there are such. */
    @Nullable
    Tensor types() {
        return types;
    }

    /** The vectors of the positions, if there are such. */
    @Nullable
    Tensor positions() {
        return positions;
    }

    public Norm embeddingNorm() {
        return embeddingNorm;
    }

    public Layer layer(int index) {
        return layers.get(index);
    }
}
