import org.jspecify.annotations.NullMarked;

/** The {@code stowage} command. */
@NullMarked
@SuppressWarnings("module") // the module that sees the command is compiled after this one
module dev.stowage.cli {
    requires dev.stowage.core;
    requires dev.stowage.gguf;
    requires dev.stowage.llm;
    requires dev.stowage.models;
    requires dev.stowage.picture;
    // Brings the device that is always there.
    requires dev.stowage.reference;
    requires dev.stowage.testkit;
    requires info.picocli;
    // Ctrl-C that stops an answer and not the program.
    requires jdk.unsupported;
    requires static org.jspecify;

    // What measures beside ggml is written against the command, and reports the way it does.
    exports dev.stowage.cli to
            dev.stowage.bench;

    // picocli reads the annotated fields of the commands.
    opens dev.stowage.cli to
            info.picocli;

    uses dev.stowage.cli.LlamaLibraryBenchmark;
    uses dev.stowage.cli.ModelMaker;
    uses dev.stowage.cli.OpsBenchmark;
    uses dev.stowage.device.BackendProvider;
}
