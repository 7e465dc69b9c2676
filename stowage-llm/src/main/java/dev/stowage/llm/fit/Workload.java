package dev.stowage.llm.fit;

import dev.stowage.models.ModelShape;

/** A model and how it is run: everything that its graphs and its memory depend on. */
public sealed interface Workload permits DecoderWorkload, ImageNetwork {
    /** The hyper-parameters of the model. */
    ModelShape shape();

    /** The name of the model, or of its file. */
    default String name() {
        return shape().name();
    }

    /** A short description of the model. */
    default String description() {
        return shape().description();
    }

    /** How many numbers its weights hold. */
    default long parameters() {
        return shape().parameters();
    }

    /** How many layers it has. */
    int layers();

    /**
     * The model, built anew each time, as planning gives its weights memory.
     *
     * @throws dev.stowage.error.StowageException if the model cannot be run this way
     */
    ModelPasses build();
}
