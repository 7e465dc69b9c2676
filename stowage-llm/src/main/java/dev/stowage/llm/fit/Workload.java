package dev.stowage.llm.fit;

/** A model and how it is run: everything that its graphs and its memory depend on. */
public sealed interface Workload permits DecoderWorkload, ImageNetwork {
    /** What the model is called: its name, or that of its file. */
    String name();

    /** What it is, in a few words. */
    String description();

    /** How many numbers its weights hold. */
    long parameters();

    /** How many layers it has. */
    int layers();

    /**
     * The model, built anew each time, as planning gives its weights places.
     *
     * @throws dev.stowage.error.StowageException if the model cannot be run this way
     */
    ModelPasses build();
}
