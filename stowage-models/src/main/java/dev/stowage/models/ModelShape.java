package dev.stowage.models;

/**
 * A model by its hyper-parameters: all that decides which tensors it has and how they are wired, and none of the
 * numbers in them. {@link ModelShapes} knows some by name.
 */
public sealed interface ModelShape permits TransformerShape, ResNetShape {

    /** The name it is asked for by, such as {@code llama-3-8b}. */
    String name();

    /** A human-readable description. */
    String description();

    /**
     * How many numbers its weights hold, as its publisher counts them: embeddings that serve as output too count once,
     * and numbers that follow from the hyper-parameters do not count.
     */
    long parameters();
}
