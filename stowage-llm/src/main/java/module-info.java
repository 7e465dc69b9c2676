import org.jspecify.annotations.NullMarked;

/** Language models: what a file describes, tokenizers, chat templates, sampling, and running them. */
@NullMarked
module dev.stowage.llm {
    requires transitive dev.stowage.core;
    requires transitive dev.stowage.gguf;
    requires transitive dev.stowage.models;
    requires static org.jspecify;

    exports dev.stowage.llm;
    exports dev.stowage.llm.chat;
    exports dev.stowage.llm.fit;
    exports dev.stowage.llm.golden;
    exports dev.stowage.llm.model;
    exports dev.stowage.llm.sampling;
    exports dev.stowage.llm.tokenizer;

    uses dev.stowage.llm.model.Architecture;
}
