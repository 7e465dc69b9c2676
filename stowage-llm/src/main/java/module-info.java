import org.jspecify.annotations.NullMarked;

/** Language models: tokenizers, chat templates and the choice of the next token. */
@NullMarked
module dev.stowage.llm {
    requires transitive dev.stowage.core;
    requires transitive dev.stowage.gguf;
    requires static org.jspecify;

    exports dev.stowage.llm.chat;
    exports dev.stowage.llm.sampling;
    exports dev.stowage.llm.tokenizer;
}
