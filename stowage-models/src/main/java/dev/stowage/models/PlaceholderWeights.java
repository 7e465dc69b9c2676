package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Weights without bytes, for models of which only the sizes matter: matrices of one type, vectors and the matrix that
 * chooses experts f32. There are no biases.
 */
final class PlaceholderWeights implements WeightSource {

    private static final String ROUTER = "ffn_gate_inp.weight";

    private final GraphBuilder builder = new GraphBuilder();
    private final TransformerShape shape;
    private final ElementType type;
    private final Map<String, ElementType> types;
    private final boolean inEachPart;
    private final Map<String, Tensor> ropeFactors = new HashMap<>();

    private PlaceholderWeights(
            TransformerShape shape, ElementType type, Map<String, ElementType> types, boolean inEachPart) {
        this.shape = shape;
        this.type = type;
        this.types = types;
        this.inEachPart = inEachPart;
    }

    /** Weights of which each is one tensor, however many parts of the model read it. */
    static PlaceholderWeights shared(TransformerShape shape, ElementType type) {
        return new PlaceholderWeights(shape, type, Map.of(), false);
    }

    /**
     * Weights that are a tensor in each part of the model that reads them.
     *
     * @param types by name, for those of another type
     */
    static PlaceholderWeights inEachPart(TransformerShape shape, ElementType type, Map<String, ElementType> types) {
        return new PlaceholderWeights(shape, type, types, true);
    }

    @Override
    public Tensor weight(String name, long... dimensions) {
        boolean single = dimensions.length == 1 || name.endsWith(ROUTER) || name.endsWith(".bias");
        ElementType own = single ? ElementType.F32 : WeightTypes.forRows(type, dimensions[0]);
        return builder.weight(name, types.getOrDefault(name, own), dimensions);
    }

    @Override
    public Optional<Tensor> find(String name, long... dimensions) {
        boolean isThere = name.equals(TransformerWeights.OUTPUT)
                ? !shape.tiedEmbeddings()
                : name.endsWith(TransformerWeights.FUSED_QKV) && shape.traits().fused();
        return isThere ? Optional.of(weight(name, dimensions)) : Optional.empty();
    }

    @Override
    public Optional<Tensor> ropeFactors(String name, int layer, long count) {
        boolean isThere = name.equals(TransformerWeights.ROPE_FACTORS)
                ? shape.rope().frequencyFactors()
                : shape.rope().longFactors();
        if (!isThere) {
            return Optional.empty();
        }
        String own = inEachPart ? LayerWeights.block(layer) + name : name;
        return Optional.of(ropeFactors.computeIfAbsent(own, _ -> weight(own, count)));
    }

    @Override
    public Tensor tiedOutput(Tensor embeddings) {
        return inEachPart
                ? builder.weight(TransformerWeights.OUTPUT, embeddings.type(), embeddings.dim(0), embeddings.dim(1))
                : embeddings;
    }

    GraphBuilder builder() {
        return builder;
    }
}
