package dev.stowage.bench.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * How planning grows with the graph: {@code layers} repeats a block with a residual connection, so that few tensors are
 * live at once; {@code wide} keeps every tensor alive until the end and frees every second one early, so that there are
 * as many holes as there are tensors. Divide by the number of nodes to see the time per node. The heap has its full size
 * from the start, so that its growth is not measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms8g", "-Xmx8g", "-XX:+AlwaysPreTouch"})
public class GrowthBenchmark {

    @Param({"1000", "10000", "100000", "1000000"})
    private int nodes;

    @Param({"layers", "wide"})
    private String shape;

    private PlanRequest request;

    @Setup(Level.Trial)
    public void build() {
        Graph graph = shape.equals("wide") ? wide(nodes) : layers(nodes);
        request = PlanRequest.of(graph, MeasuringBufferType.of("memory", 64));
    }

    @Benchmark
    public MemoryPlan plan() {
        return Planner.ggml().plan(request);
    }

    private static Graph layers(int nodes) {
        Tensor residual = leaf(4096);
        Tensor weight = leaf(4096).asWeight();
        for (int i = 0; i < nodes / 5; i++) {
            Tensor normed = node(Op.RMS_NORM, 4096, residual);
            Tensor gate = node(Op.MUL_MAT, 8192, weight, normed);
            Tensor up = node(Op.MUL_MAT, 8192, weight, normed);
            Tensor down = node(Op.GLU, 4096, gate, up);
            residual = node(Op.ADD, 4096, residual, down);
        }
        return Graph.of(residual);
    }

    private static Graph wide(int nodes) {
        Tensor input = leaf(64);
        List<Tensor> produced = new ArrayList<>();
        for (int i = 0; i < nodes / 2; i++) {
            produced.add(node(Op.CONT, 64 + i % 100 * 16, input));
        }
        List<Tensor> roots = new ArrayList<>(produced);
        for (int i = 0; i < produced.size(); i += 2) {
            roots.add(node(Op.SUM, 1, produced.get(i)));
        }
        for (int i = 1; i < produced.size(); i += 2) {
            roots.add(node(Op.CONT, 64 + i % 90 * 16, produced.get(i)));
        }
        return Graph.of(roots);
    }

    private static Tensor leaf(long elements) {
        return Tensor.leaf(Layout.contiguous(ElementType.F32, elements));
    }

    private static Tensor node(Op op, long elements, Tensor... sources) {
        return Tensor.builder(Layout.contiguous(ElementType.F32, elements))
                .op(op)
                .sources(sources)
                .build();
    }
}
