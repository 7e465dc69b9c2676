package dev.stowage.llm.engine;

/** How the states of a model after the tokens of a text become one vector for the text. */
public enum Pooling {
    /** Their mean. */
    MEAN,
    /** The state after the last token, which suits models that read from left to right. */
    LAST,
    /** The state after the first token, which models that read in both directions have for this. */
    CLS
}
