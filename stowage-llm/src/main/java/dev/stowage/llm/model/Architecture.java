package dev.stowage.llm.model;

import dev.stowage.models.DecoderBlocks;
import dev.stowage.models.DecoderGraph;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerShape;

/**
 * A family of models: how their numbers are read from a file, and how their graph is put together. Each is a small class
 * of its own. Further ones are found as services by {@link java.util.ServiceLoader}, so a model can be added without
 * changing this library.
 */
public interface Architecture {

    /** What files call it under {@code general.architecture}. */
    String name();

    /**
     * The numbers of a model.
     *
     * @throws dev.stowage.error.StowageException if one is missing or impossible; the message names the key
     */
    TransformerShape shape(HyperParameters numbers);

    /**
     * The graph of one pass; by default in the order of the Llama family.
     *
     * @param blocks what the graph is put together from
     * @param numbers those of the model, for what the shape does not say
     */
    default DecoderGraph graph(DecoderBlocks blocks, HyperParameters numbers) {
        return TransformerGraph.build(blocks);
    }
}
