package dev.stowage.models;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the blocks of a transformer share: the builder of the graph, and the order in which parts of it were said to be
 * complete. A part that is complete runs before all later ones, whichever nodes read it.
 */
final class LayerBuilder {

    private final GraphBuilder builder = new GraphBuilder();
    private final List<Tensor> completed = new ArrayList<>();
    private final LayerRecorder recorder = new LayerRecorder(builder, LayerPlacement.INPUT);
    private final float normEpsilon;
    private final int tokens;

    LayerBuilder(float normEpsilon, int tokens) {
        this.normEpsilon = normEpsilon;
        this.tokens = tokens;
    }

    GraphBuilder ops() {
        return builder;
    }

    /** Says that what is made from now on belongs to a part of the model. */
    void enter(int part) {
        recorder.enter(part);
    }

    /** Says that everything up to that tensor runs before whatever is completed later. */
    Tensor complete(Tensor tensor) {
        completed.add(tensor);
        return tensor;
    }

    /** The RMS norm of each row, times a weight. */
    Tensor norm(Tensor x, Tensor weight, int layer) {
        Tensor normed = builder.rmsNorm(x, normEpsilon).named(inLayer("norm", layer));
        recorder.norm(normed, tokens);
        return builder.mul(normed, weight);
    }

    /** The layer norm of each row, times a weight and plus a bias. */
    Tensor norm(Tensor x, EncoderWeights.Norm norm, int layer) {
        Tensor normed = builder.norm(x, normEpsilon).named(inLayer("norm", layer));
        recorder.norm(normed, tokens);
        return builder.add(builder.mul(normed, norm.weight()), norm.bias());
    }

    /** A matrix times each row, and its bias where it has one. */
    Tensor linear(TransformerWeights.Linear linear, Tensor x) {
        Tensor product = builder.mulMat(linear.weight(), x);
        return linear.bias() == null ? product : builder.add(product, linear.bias());
    }

    /** Numbers squeezed between a limit and its negative; as they are where the limit is 0. */
    Tensor capped(Tensor x, float limit) {
        return limit == 0f ? x : builder.scale(builder.tanh(builder.scale(x, 1f / limit)), limit);
    }

    /** The name of something in a layer: {@code Qcur-0}. */
    static String inLayer(String name, int layer) {
        return name + "-" + layer;
    }

    Graph graph() {
        return Graph.of(completed);
    }

    /** Which layer everything belongs to that has been made. */
    LayerMap layers(int count, Map<Tensor, Integer> weightParts, KeyValueCache cache) {
        return recorder.map(count, weightParts, cache.parts());
    }
}
