import org.jspecify.annotations.NullMarked;

/** Language models: what a file describes, tokenizers, chat templates, sampling, and running them. */
@NullMarked
@SuppressWarnings("module") // the module of the command is compiled after this one
module dev.stowage.llm {
    requires transitive dev.stowage.core;
    requires transitive dev.stowage.gguf;
    requires transitive dev.stowage.models;
    requires static org.jspecify;

    exports dev.stowage.llm;
    exports dev.stowage.llm.chat;
    exports dev.stowage.llm.engine;
    exports dev.stowage.llm.fit;
    exports dev.stowage.llm.grammar;
    exports dev.stowage.llm.model;
    exports dev.stowage.llm.sampling;
    exports dev.stowage.llm.tokenizer;

    // Recorded answers of models, for the conformance command and our own tests; not an API.
    exports dev.stowage.llm.golden to
            dev.stowage.cli;

    uses dev.stowage.llm.model.Architecture;
}
