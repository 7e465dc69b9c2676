package dev.stowage.llm;

/** Is notified of the progress of loading a model. */
@FunctionalInterface
public interface LoadListener {

    /** Hears nothing. */
    LoadListener NONE = (_, _) -> {};

    /**
     * So many of the bytes of all weights are loaded; called before memory is taken for them, from time to time, and at the
     * end. Weights that are used in the mapped file are not counted.
     *
     * @param done the bytes so far
     * @param all the bytes in all
     */
    void loaded(long done, long all);
}
