package dev.stowage.cpu;

import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The main class of a process with some configuration of vectors: prints which device serves as the processor, why the
 * kernels do not where they do not, and which ops give other numbers than the reference. The ops are few, one of each way
 * in which kernels use lanes; the whole suite is {@code stowage conformance backend cpu}.
 */
final class VectorConfiguration {

    /** Before the name of the device that serves. */
    static final String SERVES = "serves ";

    /** Before why the kernels do not. */
    static final String REASON = "reason ";

    /** Before an op whose numbers are wrong. */
    static final String WRONG = "wrong ";

    /** Before what the check of the kernels finds, whether they serve or not. */
    static final String KERNELS = "kernels ";

    /** Before the instructions that tiles are written with. */
    static final String LEVEL = "level ";

    /** Before the memory that the device prefers for weights of q4_0. */
    static final String WEIGHTS_TYPE = "weights in ";

    private static final ElementType[] WEIGHTS = {
        ElementType.F32,
        ElementType.F16,
        ElementType.BF16,
        ElementType.Q4_0,
        ElementType.Q8_0,
        ElementType.Q4_K,
        ElementType.Q6_K
    };

    private static final double MAX_ERROR = 1e-7;

    private VectorConfiguration() {}

    public static void main(String[] args) {
        DeviceRegistry registry = DeviceRegistry.load();
        Device serving = registry.devices(DeviceType.CPU).getFirst();
        Device reference = registry.device("reference");
        System.out.println(SERVES + serving.name());
        System.out.println(REASON + new CpuProvider().probe().reason());
        System.out.println(KERNELS + KernelCheck.firstWrong().orElse("right"));
        Layout weights = Layout.contiguous(ElementType.Q4_0, 256, 64);
        System.out.println(WEIGHTS_TYPE + serving.weightsType(weights).name());
        TileSupport.level().ifPresent(level -> System.out.println(LEVEL + level));
        formulas().forEach((name, formula) -> {
            double error = error(computed(reference, formula), computed(serving, formula));
            if (!(error <= MAX_ERROR)) {
                System.out.println(WRONG + name + ": " + error);
            }
        });
    }

    private static Map<String, Function<GraphBuilder, Tensor>> formulas() {
        Map<String, Function<GraphBuilder, Tensor>> all = new LinkedHashMap<>();
        all.put("sum", b -> b.sum(f32(b, 1000)));
        all.put("mean", b -> b.mean(f32(b, 67, 3)));
        all.put("norm", b -> b.norm(f32(b, 67, 3), 1e-5f));
        all.put("rms_norm", b -> b.rmsNorm(f32(b, 67, 3), 1e-5f));
        all.put("soft_max", b -> b.softMax(f32(b, 67, 3)));
        all.put("exp", b -> b.exp(f32(b, 67)));
        all.put("sin", b -> b.sin(f32(b, 67)));
        all.put("silu", b -> b.silu(f32(b, 67)));
        all.put("swiglu", b -> b.swiglu(f32(b, 67, 3), f32(b, 67, 3)));
        all.put("rope", VectorConfiguration::rope);
        all.put("f16", b -> b.cast(b.cast(f32(b, 67, 3), ElementType.F16), ElementType.F32));
        for (ElementType type : WEIGHTS) {
            for (int columns : new int[] {1, 17}) {
                all.put(type + " x " + columns, b -> b.mulMat(b.cast(f32(b, 256, 9), type), f32(b, 256, columns)));
            }
        }
        for (int queries : new int[] {1, 20}) {
            all.put("attention of " + queries, b -> attention(b, queries));
        }
        return all;
    }

    private static Tensor rope(GraphBuilder b) {
        return b.rope(f32(b, 70, 2, 5), b.tensor(ElementType.I32, 5), OpParameters.Rope.of(70, RopeMode.NEOX));
    }

    private static Tensor attention(GraphBuilder b, int queries) {
        Tensor mask = b.tensor(ElementType.F16, 40, queries);
        Tensor keys = b.cast(f32(b, 64, 40, 2), ElementType.F16);
        Tensor values = b.cast(f32(b, 64, 40, 2), ElementType.F16);
        return b.flashAttention(f32(b, 64, queries, 2), keys, values, mask, 0.125f, 0f, 0f);
    }

    private static Tensor f32(GraphBuilder b, long... shape) {
        return b.tensor(ElementType.F32, shape);
    }

    private static float[] computed(Device device, Function<GraphBuilder, Tensor> formula) {
        GraphBuilder builder = new GraphBuilder();
        Tensor result = formula.apply(builder);
        Graph graph = Graph.of(result);
        Random random = new Random(1);
        try (Backend backend = device.open(BackendOptions.defaults().withThreads(1));
                Buffer _ = Allocations.allocateAll(builder, device.bufferType())) {
            graph.leaves().forEach(leaf -> fill(leaf, random));
            backend.compute(graph);
            return TensorData.getFloats(result);
        }
    }

    private static void fill(Tensor leaf, Random random) {
        int elements = Math.toIntExact(leaf.shape().elements());
        if (leaf.type() == ElementType.I32) {
            TensorData.setInts(leaf, IntStream.range(0, elements).toArray());
        } else if (leaf.type() == ElementType.F32) {
            float[] numbers = new float[elements];
            for (int i = 0; i < elements; i++) {
                numbers[i] = (float) random.nextGaussian() + 0.5f;
            }
            TensorData.setFloats(leaf, numbers);
        }
    }

    /** The squares of the differences over the squares of the numbers. */
    private static double error(float[] expected, float[] actual) {
        double differences = 0;
        double squares = 0;
        for (int i = 0; i < expected.length; i++) {
            double difference = (double) expected[i] - actual[i];
            differences += difference * difference;
            squares += (double) expected[i] * expected[i];
        }
        return differences / squares;
    }
}
