package dev.stowage.cpu.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.program.CpuProgram;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.Nmse;
import dev.stowage.testkit.op.OpRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;

/** Computes a few nodes with fusions, without them, and by the reference, from the same inputs. */
public final class FusionRun {

    private static final String NONE = "";

    private final long seed;
    private final Function<GraphBuilder, List<Tensor>> formula;
    private boolean repeatsNumbers;

    private FusionRun(long seed, Function<GraphBuilder, List<Tensor>> formula) {
        this.seed = seed;
        this.formula = formula;
    }

    /** Tensors that are to be right in the end, made by a builder. */
    public static FusionRun of(long seed, Function<GraphBuilder, List<Tensor>> formula) {
        return new FusionRun(seed, formula);
    }

    /** The numbers of rows (i64 inputs) come in no order, and some twice. */
    public FusionRun withRepeatedNumbers() {
        repeatsNumbers = true;
        return this;
    }

    /** Holds the results with and without fusions against the reference. */
    public void check(double maxError) {
        List<double[]> expected = compute(new ReferenceProvider().devices().getFirst(), NONE);
        for (String without : List.of(NONE, "all")) {
            List<double[]> actual = compute(new CpuProvider().devices().getFirst(), without);
            for (int i = 0; i < expected.size(); i++) {
                Nmse error = Nmse.of(expected.get(i), actual.get(i));
                assertThat(error.isWithin(maxError))
                        .as("seed %d, result %d without '%s': %s", seed, i, without, error)
                        .isTrue();
            }
        }
    }

    /** How many tasks the graph takes with those fusions switched off. */
    public int tasksWithout(String fusions) {
        List<Tensor> results = formula.apply(new GraphBuilder());
        Graph graph = Graph.of(results);
        try (Buffer _ = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard())) {
            return tasks(graph, fusions);
        }
    }

    public int tasks() {
        return tasksWithout(NONE);
    }

    /** How many tasks a graph takes whose tensors have their places. */
    public static int tasks(Graph graph, String without) {
        try (CpuProgram program = CpuProgram.of(
                BoundGraph.of(graph), StandardKernels.all(), StandardKernels.fusions(options(without)), 2)) {
            return program.taskCount();
        }
    }

    private static BackendOptions options(String without) {
        return BackendOptions.defaults().withThreads(2).withSettings(Map.of(StandardKernels.WITHOUT_FUSIONS, without));
    }

    private List<double[]> compute(Device device, String without) {
        List<Tensor> results = formula.apply(new GraphBuilder());
        Graph graph = Graph.of(results);
        try (Backend backend = device.open(options(without));
                Buffer _ = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard())) {
            Random random = new Random(seed);
            graph.leaves().stream().filter(leaf -> !leaf.isView()).forEach(leaf -> fill(leaf, random));
            backend.compute(graph);
            List<double[]> read = new ArrayList<>();
            results.forEach(result -> read.add(OpRun.read(result)));
            return read;
        }
    }

    private void fill(Tensor leaf, Random random) {
        int elements = Math.toIntExact(leaf.shape().elements());
        switch (leaf.type()) {
            case I32 -> TensorData.setInts(leaf, random.ints(elements, 0, 5000).toArray());
            case I64 -> TensorData.setLongs(leaf, numbers(elements, random));
            case F32, F16 -> {
                float[] values = new float[elements];
                for (int i = 0; i < elements; i++) {
                    values[i] = (float) random.nextGaussian();
                }
                TensorData.setFloats(leaf, values);
            }
            default -> Buffer.of(leaf).memset(leaf, 0, leaf.byteSize(), (byte) 0);
        }
    }

    private long[] numbers(int elements, Random random) {
        return repeatsNumbers
                ? random.longs(elements, 0, elements).toArray()
                : LongStream.range(0, elements).map(i -> 2 * i + 1).toArray();
    }

    /** A tensor of f32. */
    public static Tensor f32(GraphBuilder b, long... shape) {
        return b.tensor(ElementType.F32, shape);
    }
}
