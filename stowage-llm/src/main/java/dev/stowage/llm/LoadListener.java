package dev.stowage.llm;

/** Is told how far the loading of a model has come. */
@FunctionalInterface
public interface LoadListener {

    /** Hears nothing. */
    LoadListener NONE = (_, _) -> {};

    /**
     * So many of the bytes of all weights are where they shall be; told now and then, and at the end.
     *
     * @param done the bytes so far
     * @param all the bytes in all
     */
    void loaded(long done, long all);
}
