package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Weights without bytes, for models of which only the sizes matter: matrices of one type, vectors and the matrix that
 * chooses experts f32. There are no biases.
 */
final class PlaceholderWeights implements WeightSource {

    private static final String ROUTER = "ffn_gate_inp.weight";

    private final GraphBuilder builder = new GraphBuilder();
    private final TransformerShape shape;
    private final ElementType type;
    private @Nullable Tensor ropeFactors;

    PlaceholderWeights(TransformerShape shape, ElementType type) {
        this.shape = shape;
        this.type = type;
    }

    @Override
    public Tensor weight(String name, long... dimensions) {
        boolean single = dimensions.length == 1 || name.endsWith(ROUTER);
        ElementType own = single ? ElementType.F32 : WeightTypes.forRows(type, dimensions[0]);
        return builder.weight(name, own, dimensions);
    }

    @Override
    public Optional<Tensor> find(String name, long... dimensions) {
        boolean isThere = name.equals(TransformerWeights.OUTPUT) && !shape.tiedEmbeddings();
        return isThere ? Optional.of(weight(name, dimensions)) : Optional.empty();
    }

    @Override
    public Optional<Tensor> ropeFactors(int layer, long count) {
        if (ropeFactors == null && shape.rope().frequencyFactors()) {
            ropeFactors = weight(TransformerWeights.ROPE_FACTORS, count);
        }
        return Optional.ofNullable(ropeFactors);
    }

    GraphBuilder builder() {
        return builder;
    }
}
