package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The weights of a transformer, named and ordered as in a GGUF file. */
final class TransformerWeights {

    /** The weights of one layer; the norms of queries and keys are there only where the shape has them. */
    record Layer(
            Tensor attentionNorm,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor output,
            @Nullable Tensor queryNorm,
            @Nullable Tensor keyNorm,
            Tensor networkNorm,
            Network network) {}

    /** What follows the attention of a layer. */
    sealed interface Network {}

    /** One network for all tokens. */
    record Dense(Tensor gate, Tensor down, Tensor up) implements Network {}

    /** Several networks side by side, and the matrix that decides which of them a token goes through. */
    record Experts(Tensor router, Tensor gate, Tensor down, Tensor up) implements Network {}

    private final GraphBuilder builder = new GraphBuilder();
    private final TransformerShape shape;
    private final ElementType type;
    private final Tensor embeddings;
    private final Tensor outputNorm;
    private final Tensor output;
    private final @Nullable Tensor ropeFactors;
    private final List<Layer> layers = new ArrayList<>();

    TransformerWeights(TransformerShape shape, ElementType type) {
        this.shape = shape;
        this.type = type;
        this.embeddings = matrix("token_embd", shape.width(), shape.vocabulary());
        this.outputNorm = norm("output_norm", shape.width());
        this.output = shape.tiedEmbeddings() ? embeddings : matrix("output", shape.width(), shape.vocabulary());
        this.ropeFactors = shape.rope().frequencyFactors() ? norm("rope_freqs", shape.headSize() / 2) : null;
        for (int i = 0; i < shape.layers(); i++) {
            layers.add(layer("blk." + i + "."));
        }
    }

    private Layer layer(String block) {
        return new Layer(
                norm(block + "attn_norm", shape.width()),
                matrix(block + "attn_q", shape.width(), shape.queryWidth()),
                matrix(block + "attn_k", shape.width(), shape.kvWidth()),
                matrix(block + "attn_v", shape.width(), shape.kvWidth()),
                matrix(block + "attn_output", shape.queryWidth(), shape.width()),
                shape.qkNorm() ? norm(block + "attn_q_norm", shape.headSize()) : null,
                shape.qkNorm() ? norm(block + "attn_k_norm", shape.headSize()) : null,
                norm(block + "ffn_norm", shape.width()),
                shape.hasExperts() ? experts(block) : dense(block));
    }

    private Network dense(String block) {
        return new Dense(
                matrix(block + "ffn_gate", shape.width(), shape.feedForward()),
                matrix(block + "ffn_down", shape.feedForward(), shape.width()),
                matrix(block + "ffn_up", shape.width(), shape.feedForward()));
    }

    private Network experts(String block) {
        int experts = shape.experts();
        return new Experts(
                builder.weight(block + "ffn_gate_inp.weight", ElementType.F32, shape.width(), experts),
                matrix(block + "ffn_gate_exps", shape.width(), shape.feedForward(), experts),
                matrix(block + "ffn_down_exps", shape.feedForward(), shape.width(), experts),
                matrix(block + "ffn_up_exps", shape.width(), shape.feedForward(), experts));
    }

    private Tensor norm(String name, long length) {
        return builder.weight(name + ".weight", ElementType.F32, length);
    }

    private Tensor matrix(String name, long... dimensions) {
        return builder.weight(name + ".weight", WeightTypes.forRows(type, dimensions[0]), dimensions);
    }

    GraphBuilder builder() {
        return builder;
    }

    Tensor embeddings() {
        return embeddings;
    }

    Tensor outputNorm() {
        return outputNorm;
    }

    /** The matrix that gives the logits; the embeddings themselves where they are tied. */
    Tensor output() {
        return output;
    }

    /** What the frequencies of the rope are divided by, where the shape has such factors. */
    @Nullable
    Tensor ropeFactors() {
        return ropeFactors;
    }

    Layer layer(int index) {
        return layers.get(index);
    }
}
