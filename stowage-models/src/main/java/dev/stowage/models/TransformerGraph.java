package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * The graph of a transformer for a number of tokens: the same ops in the same order, under the same names, as llama.cpp
 * builds for models of the families that {@link TransformerTraits} tells apart, so that memory planned for the one is memory planned for
 * the other.
 *
 * <pre>
 *   tokens ─► embeddings ─► [ norm ─► attention ─► + ─► norm ─► feed-forward ─► + ] ─► norm ─► output ─► logits
 *                             once per layer; the last one goes on with the wanted outputs alone
 * </pre>
 */
public final class TransformerGraph {

    private TransformerGraph() {}

    /**
     * Weights, cache and graph of that model, run in that way, with weights and cache in memory that only measures.
     *
     * @throws dev.stowage.error.InvalidGraphException if the cache cannot have the type asked for
     * @throws dev.stowage.error.InvalidTensorException if a tensor would have more bytes than a long can count
     */
    public static ModelGraph of(TransformerShape shape, TransformerOptions options) {
        return withoutMemory(shape, options).inMeasuredMemory();
    }

    /**
     * Weights, cache and graph of that model, run in that way, none of them placed.
     *
     * @throws dev.stowage.error.InvalidGraphException if the cache cannot have the type asked for
     * @throws dev.stowage.error.InvalidTensorException if a tensor would have more bytes than a long can count
     */
    public static ModelGraph withoutMemory(TransformerShape shape, TransformerOptions options) {
        PlaceholderWeights weights = PlaceholderWeights.shared(shape, options.weightType());
        Pass pass = new Pass(options.tokens(), options.context(), options.outputs());
        return models(shape, options, weights, List.of(pass)).getFirst();
    }

    /**
     * The same with a graph for each of several passes over the same weights and cache. What several parts of the model read is
     * a tensor in each of them, as it is where the weights come from a file.
     *
     * @param types the types of weights that do not have the usual one, by name
     */
    public static List<ModelGraph> ofPasses(
            TransformerShape shape, TransformerOptions options, Map<String, ElementType> types, List<Pass> passes) {
        return models(shape, options, PlaceholderWeights.inEachPart(shape, options.weightType(), types), passes);
    }

    private static List<ModelGraph> models(
            TransformerShape shape, TransformerOptions options, PlaceholderWeights made, List<Pass> passes) {
        TransformerWeights weights = new TransformerWeights(shape, made);
        int windowCells = shape.traits().window().cells(options.context(), options.tokens(), options.outputs());
        KeyValueCache cache =
                new KeyValueCache(shape, options.context(), windowCells, options.cacheType(), options.flash());
        return passes.stream()
                .map(pass -> build(new DecoderBlocks(shape, weights, cache, pass)))
                .map(built ->
                        new ModelGraph(shape, made.builder().tensors(), cache.tensors(), built.graph(), built.layers()))
                .toList();
    }

    /** Puts the blocks together; what the traits of the shape leave out is not there. */
    public static DecoderGraph build(DecoderBlocks blocks) {
        GraphBuilder ops = blocks.ops();
        int last = blocks.shape().layers() - 1;
        Tensor x = blocks.embeddings();
        for (int layer = 0; layer <= last; layer++) {
            Tensor attended = blocks.attend(blocks.attentionNorm(x, layer), layer);
            if (layer == last) {
                attended = blocks.selectOutputs(attended);
                x = blocks.selectOutputs(x);
            }
            attended = blocks.attentionResult(attended, layer);
            Tensor between = ops.add(attended, x).named(inLayer("ffn_inp", layer));
            Tensor changed = blocks.feedForward(blocks.feedForwardNorm(between, layer), layer);
            changed = blocks.feedForwardResult(changed, layer);
            x = ops.add(changed, between).named(inLayer("l_out", layer));
        }
        return blocks.graph(blocks.logits(x));
    }
}
