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
    // Provides the device that is always available.
    requires dev.stowage.reference;
    requires dev.stowage.rpc;
    requires dev.stowage.serve;
    // Only the conformance commands need it, and say so where it is absent.
    requires static dev.stowage.testkit;
    requires transitive info.picocli;
    // How long the compilers of the JVM worked.
    requires java.management;
    // Lines that are edited as they are typed.
    requires org.jline.reader;
    requires org.jline.terminal;
    // Ctrl-C that stops an answer and not the program.
    requires jdk.unsupported;
    requires static org.jspecify;

    // Comparisons with ggml and llama.cpp implement the services of bench and print as the command does.
    exports dev.stowage.cli to
            dev.stowage.bench;
    exports dev.stowage.cli.bench to
            dev.stowage.bench;
    exports dev.stowage.cli.text to
            dev.stowage.bench;

    // picocli reads the annotated fields of the commands.
    opens dev.stowage.cli to
            info.picocli;
    opens dev.stowage.cli.bench to
            info.picocli;
    opens dev.stowage.cli.conformance to
            info.picocli;
    opens dev.stowage.cli.devices to
            info.picocli;
    opens dev.stowage.cli.inspect to
            info.picocli;
    opens dev.stowage.cli.option to
            info.picocli;
    opens dev.stowage.cli.pack to
            info.picocli;
    opens dev.stowage.cli.plan to
            info.picocli;
    opens dev.stowage.cli.quantize to
            info.picocli;
    opens dev.stowage.cli.rpc to
            info.picocli;
    opens dev.stowage.cli.run to
            info.picocli;
    opens dev.stowage.cli.serve to
            info.picocli;

    uses dev.stowage.cli.bench.LlamaLibraryBenchmark;
    uses dev.stowage.cli.bench.ModelMaker;
    uses dev.stowage.cli.bench.OpsBenchmark;
    uses dev.stowage.device.BackendProvider;
    uses dev.stowage.device.fault.FaultInjector;
}
