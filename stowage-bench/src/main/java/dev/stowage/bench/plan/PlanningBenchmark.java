package dev.stowage.bench.plan;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.graph.GgmlGraphAllocator;
import dev.stowage.bench.ggml.graph.GgmlMirror;
import dev.stowage.graph.Graph;
import dev.stowage.memory.HostBufferType;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.plan.MemoryPlan;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Planning and re-binding one and the same transformer graph, by Stowage and by ggml in the same process: {@code
 * reserve} plans and finds the memory already large enough, {@code rebind} binds a graph that has not changed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 8, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class PlanningBenchmark {

    /** The alignment of the memory that ggml plans for here. */
    private static final long GGML_ALIGNMENT = 32;

    @Param({"llama-3-8b"})
    private String model;

    @Param({"512"})
    private int tokens;

    private Graph graph;
    private GraphAllocator stowage;
    private GgmlMirror mirror;
    private GgmlGraphAllocator ggml;

    @Setup(Level.Trial)
    public void open() {
        graph = TransformerGraph.of(ModelShapes.transformer(model), TransformerOptions.ofTokens(tokens))
                .graph();
        stowage = GraphAllocator.on(HostBufferType.standard().withAlignment(GGML_ALIGNMENT));
        mirror = GgmlMirror.of(GgmlLibrary.open(), graph);
        ggml = GgmlGraphAllocator.cpu(mirror.library());
        stowage.bind(graph);
        ggml.reserve(mirror);
        if (stowage.size() != ggml.bufferSize(0)) {
            throw new IllegalStateException(
                    "not the same work: " + stowage.size() + " bytes here, " + ggml.bufferSize(0) + " in ggml");
        }
    }

    @TearDown(Level.Trial)
    public void close() {
        stowage.close();
        ggml.close();
        mirror.close();
    }

    @Benchmark
    public MemoryPlan reserveByStowage() {
        return stowage.reserve(graph);
    }

    @Benchmark
    public void reserveByGgml() {
        ggml.reserve(mirror);
    }

    @Benchmark
    public BoundGraph rebindByStowage() {
        return stowage.bind(graph);
    }

    @Benchmark
    public void rebindByGgml() {
        ggml.allocate(mirror);
    }
}
