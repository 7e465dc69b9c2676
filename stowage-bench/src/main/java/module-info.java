import org.jspecify.annotations.NullMarked;

/** Benchmarks, and comparisons with ggml. They run on the class path, where JMH expects them. */
@NullMarked
module dev.stowage.bench {
    requires dev.stowage.core;
    requires dev.stowage.gguf;
    requires dev.stowage.llm;
    requires dev.stowage.models;
    requires dev.stowage.reference;
    requires dev.stowage.testkit;
    requires dev.stowage.cli;
    requires static org.jspecify;
    requires jdk.management;
    requires jmh.core;

    provides dev.stowage.cli.bench.LlamaLibraryBenchmark with
            dev.stowage.bench.llm.LlamaLibraryBench;
    provides dev.stowage.cli.bench.ModelMaker with
            dev.stowage.bench.llm.RandomModelMaker;
    provides dev.stowage.cli.bench.OpsBenchmark with
            dev.stowage.bench.ops.OpsBench;
}
