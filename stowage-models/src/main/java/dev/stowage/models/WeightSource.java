package dev.stowage.models;

import dev.stowage.tensor.Tensor;
import java.util.Optional;

/** Where the weights of a model come from: a file, or nowhere where only their sizes matter. */
public interface WeightSource {

    /**
     * The weight of that name, with those dimensions.
     *
     * @throws dev.stowage.error.StowageException if there is none, or its dimensions are others
     */
    Tensor weight(String name, long... dimensions);

    /**
     * The weight of that name, if the model has it.
     *
     * @throws dev.stowage.error.StowageException if its dimensions are others
     */
    Optional<Tensor> find(String name, long... dimensions);

    /**
     * What a layer divides the frequencies of its rope by, if the model has such factors; all layers have the same, and a
     * source may give each a tensor of its own.
     *
     * @param name which factors: those for all contexts, for short or for long ones
     */
    Optional<Tensor> ropeFactors(String name, int layer, long count);

    /**
     * The matrix that gives the logits of a model whose embeddings serve for that too. By default it is the embeddings
     * themselves; a source may give it other memory.
     */
    default Tensor tiedOutput(Tensor embeddings) {
        return embeddings;
    }
}
