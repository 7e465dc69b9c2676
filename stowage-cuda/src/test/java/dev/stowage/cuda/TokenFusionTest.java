package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.op.GraphLaunches;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launches of one layer of a transformer for a few tokens, with weights in the memory that the device prefers. */
class TokenFusionTest {

    private static final int WIDTH = 2048;
    private static final int KEY_HEADS = 8;
    private static final int HEAD = 128;
    private static final int CELLS = 256;

    private final GraphBuilder b = new GraphBuilder();
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Tensor> plain = new ArrayList<>();

    private Tensor matrix(ElementType type, long k, long rows) {
        Tensor weight = b.tensor(type, k, rows).asWeight();
        weights.add(weight);
        return weight;
    }

    private Tensor stored(ElementType type, long... dimensions) {
        Tensor tensor = b.tensor(type, dimensions);
        plain.add(tensor);
        return tensor;
    }

    private Tensor norm(Tensor x) {
        return b.mul(b.rmsNorm(x, 1e-5f), stored(ElementType.F32, x.dim(0)).asWeight());
    }

    private Graph layer(ElementType type, int tokens) {
        return layer(type, WIDTH, tokens);
    }

    /** Attention and feed-forward block, as llama.cpp orders their nodes, and the logits. */
    private Graph layer(ElementType type, int width, int tokens) {
        return layers(1, type, type, RopeMode.NORMAL, width, tokens);
    }

    private Graph layers(int count, ElementType type, ElementType valuesType, RopeMode mode, int width, int tokens) {
        Tensor x = b.input("x", ElementType.F32, width, tokens);
        Tensor positions = b.input("positions", ElementType.I32, tokens);
        Tensor cells = b.input("cells", ElementType.I64, tokens);
        Tensor mask = b.input("mask", ElementType.F16, CELLS, tokens);
        List<Tensor> roots = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Tensor normed = norm(x);
            Tensor attended = attention(normed, positions, cells, mask, type, valuesType, mode, roots);
            Tensor sum = b.add(b.mulMat(matrix(type, width, width), b.reshape(attended, width, tokens)), x);
            Tensor inner = norm(sum);
            Tensor up = b.mulMat(matrix(type, width, 3L * width), inner);
            Tensor gate = b.mulMat(matrix(type, width, 3L * width), inner);
            x = b.add(b.mulMat(matrix(type, 3L * width, width), b.swiglu(gate, up)), sum);
        }
        roots.add(b.mulMat(matrix(type, width, 4L * width), norm(x)).asOutput());
        return Graph.of(roots.toArray(Tensor[]::new));
    }

    private Tensor attention(
            Tensor normed,
            Tensor positions,
            Tensor cells,
            Tensor mask,
            ElementType type,
            ElementType valuesType,
            RopeMode mode,
            List<Tensor> roots) {
        long width = normed.dim(0);
        long tokens = normed.dim(1);
        long heads = width / HEAD;
        Tensor keys = stored(ElementType.F16, (long) KEY_HEADS * HEAD, CELLS);
        Tensor values = stored(ElementType.F16, (long) KEY_HEADS * HEAD, CELLS);
        OpParameters.Rope rope =
                new OpParameters.Rope(HEAD, mode, 0, RopeSections.NONE, RopeFrequencies.of(500_000, 1));
        Tensor query =
                b.rope(b.reshape(b.mulMat(matrix(type, width, width), normed), HEAD, heads, tokens), positions, rope);
        Tensor value = b.mulMat(matrix(valuesType, width, KEY_HEADS * HEAD), normed);
        Tensor key = b.rope(
                b.reshape(b.mulMat(matrix(type, width, KEY_HEADS * HEAD), normed), HEAD, KEY_HEADS, tokens),
                positions,
                rope);
        Tensor storedKeys = b.setRows(keys, b.reshape(key, KEY_HEADS * HEAD, tokens), cells);
        Tensor storedValues = b.setRows(values, value, cells);
        roots.addAll(List.of(query, value, key, storedKeys, storedValues));
        return b.flashAttention(
                b.permute(query, 0, 2, 1, 3),
                b.permute(b.reshape(keys, HEAD, KEY_HEADS, CELLS), 0, 2, 1, 3),
                b.permute(b.reshape(values, HEAD, KEY_HEADS, CELLS), 0, 2, 1, 3),
                mask,
                0.1f,
                0,
                0);
    }

    private List<Launch> launches(Graph graph) {
        RecordingDriver driver = new RecordingDriver(1, 1L << 30);
        try (CudaProvider provider = new CudaProvider(() -> driver, StandardCompiler.INSTANCE)) {
            Device device = provider.devices().getFirst();
            try (Buffer units = Allocations.allocateAll(
                            weights, device.weightsType(weights.getFirst().layout()));
                    Buffer others = Allocations.allocateAll(plain, device.bufferType());
                    GraphAllocator allocator = GraphAllocator.on(device.bufferType())) {
                assertThat(units.type()).isNotEqualTo(others.type());
                return GraphLaunches.of(allocator.bind(device.reorder(graph)), PlacedGraph.HOPPER).launches().stream()
                        .filter(launch -> !launch.kernel().equals("check_row_numbers"))
                        .toList();
            }
        }
    }

    /** A scheduler may cut a graph anywhere, so that what belongs together is in two graphs. */
    @ParameterizedTest
    @CsvSource({"Q4_0, 1", "Q8_0, 3", "Q4_0, 8", "F16, 16", "Q4_0, 128", "F16, 128"})
    void everyPartOfALayerHasLaunches(ElementType type, int tokens) {
        Graph graph = layer(type, tokens);
        RecordingDriver driver = new RecordingDriver(1, 1L << 30);
        try (CudaProvider provider = new CudaProvider(() -> driver, StandardCompiler.INSTANCE)) {
            Device device = provider.devices().getFirst();
            try (Buffer units = Allocations.allocateAll(
                            weights, device.weightsType(weights.getFirst().layout()));
                    Buffer others = Allocations.allocateAll(plain, device.bufferType());
                    GraphAllocator allocator = GraphAllocator.on(device.bufferType())) {
                assertThat(units.isClosed() || others.isClosed()).isFalse();
                BoundGraph bound = allocator.bind(graph);
                for (int from = 0; from < graph.nodeCount(); from++) {
                    for (int to = from + 1; to <= graph.nodeCount(); to++) {
                        Graph part = graph.slice(from, to);
                        boolean isComputed = IntStream.range(0, part.nodeCount())
                                .anyMatch(id -> part.isComputed(id) && !part.isViewOp(id));
                        assertThat(GraphLaunches.of(bound.part(part), PlacedGraph.HOPPER)
                                        .launches()
                                        .isEmpty())
                                .as(part.dump())
                                .isEqualTo(!isComputed);
                    }
                }
            }
        }
    }

    private static List<String> kinds(List<Launch> launches) {
        return launches.stream()
                .map(launch -> launch.kernel().replaceAll("_(ring|clusters|q.*|f16|bf16|f32|x\\d|i64|h\\d+).*", ""))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"Q4_0", "Q8_0", "Q4_K", "Q6_K"})
    void aLayerOfQuantizedWeightsIsFiveProductsAndAttention(ElementType type) {
        List<String> kinds = kinds(launches(layer(type, 1)));
        assertThat(kinds.stream().filter("unit_gemv"::equals)).hasSize(5);
        assertThat(kinds).startsWith("unit_gemv", "rope_cache").endsWith("unit_gemv", "unit_gemv", "unit_gemv");
        assertThat(kinds.stream().filter(kind -> kind.contains("attention"))).isNotEmpty();
        assertThat(kinds)
                .allMatch(
                        kind -> kind.equals("unit_gemv") || kind.equals("rope_cache") || kind.startsWith("attention"));
    }

    /** The first layer reads floats; from the second on, the vector has been quantised by the launch before. */
    @ParameterizedTest
    @CsvSource({
        "Q4_0, Q4_0, NORMAL, unit_gemv_ring_q4_0_rope",
        "Q6_K, Q6_K, NORMAL, unit_gemv_ring_q6_K_rope",
        "Q4_K, Q6_K, NORMAL, unit_gemv_ring_q4_K_q6_K_rope",
        "Q4_0, Q4_0, NEOX, unit_gemv_ring_q4_0_several rope_cache_f16_i64",
        "Q8_0, Q4_0, NORMAL, unit_gemv_ring_q8_0_several unit_gemv_ring_q4_0_one rope_cache_f16_i64"
    })
    void productsOfQueriesAndKeysRotateNeighbours(
            ElementType type, ElementType valuesType, RopeMode mode, String kernels) {
        List<String> names = launches(layers(2, type, valuesType, mode, WIDTH, 1)).stream()
                .map(Launch::kernel)
                .toList();
        List<String> before = List.of(kernels.split(" "));
        int attention = names.lastIndexOf("attention_token_f16_h128");
        assertThat(names.subList(attention - before.size(), attention)).isEqualTo(before);
        assertThat(names.get(attention - before.size() - 1)).endsWith("_one");
    }

    /** Another reader of a product needs it as it is. */
    @Test
    void valuesThatAreReadElsewhereAreStored() {
        Tensor x = b.input("x", ElementType.F32, WIDTH, 1);
        Tensor positions = b.input("positions", ElementType.I32, 1);
        Tensor cells = b.input("cells", ElementType.I64, 1);
        Tensor mask = b.input("mask", ElementType.F16, CELLS, 1);
        List<Tensor> roots = new ArrayList<>();
        Tensor attended = attention(
                norm(b.add(b.mulMat(matrix(ElementType.Q4_0, WIDTH, WIDTH), x), x)),
                positions,
                cells,
                mask,
                ElementType.Q4_0,
                ElementType.Q4_0,
                RopeMode.NORMAL,
                roots);
        roots.add(b.scale(roots.get(1), 2).asOutput());
        roots.add(attended.asOutput());
        assertThat(launches(Graph.of(roots.toArray(Tensor[]::new))).stream().map(Launch::kernel))
                .contains("rope_cache_f16_i64")
                .noneMatch(kernel -> kernel.endsWith("_rope"));
    }

    @ParameterizedTest
    @CsvSource({"Q4_K, Q6_K, 1, unit_gemv_ring_q4_K_q6_K_whole", "Q5_K, Q6_K, 1, unit_gemv_ring_q5_K_q6_K_whole"})
    void matricesOfTwoTypesAreMultipliedInOneLaunch(ElementType first, ElementType last, int tokens, String kernel) {
        assertThat(kernelsOfTwoTypes(first, last, tokens)).containsExactly(kernel);
    }

    @ParameterizedTest
    @CsvSource({"Q4_K, Q8_0, 1", "Q4_K, Q6_K, 2", "Q6_K, Q4_K, 1"})
    void otherTypesAndSeveralTokensHaveALaunchForEachType(ElementType first, ElementType last, int tokens) {
        assertThat(kernelsOfTwoTypes(first, last, tokens)).hasSize(2);
    }

    private List<String> kernelsOfTwoTypes(ElementType first, ElementType last, int tokens) {
        Tensor x = b.input("x", ElementType.F32, WIDTH, tokens);
        Graph graph = Graph.of(
                b.mulMat(matrix(first, WIDTH, WIDTH), x).asOutput(),
                b.mulMat(matrix(first, WIDTH, 256), x).asOutput(),
                b.mulMat(matrix(last, WIDTH, 256), x).asOutput());
        return launches(graph).stream().map(Launch::kernel).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void severalTokensAreFusedAsWell(int tokens) {
        assertThat(kinds(launches(layer(ElementType.Q4_0, tokens))).stream().filter("unit_gemv"::equals))
                .hasSize(5);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"Q4_0", "Q6_K", "F16"})
    void shortRowsAreRoundedOnlyWhereProductsReadThem(ElementType type) {
        List<Launch> launches = launches(layer(type, WIDTH / 2, 1));
        assertThat(kinds(launches))
                .containsExactly(
                        "rms_norm_mul",
                        "unit_gemv",
                        "rope_cache",
                        "attention_short",
                        "unit_gemv",
                        "rms_norm_mul",
                        "unit_gemv",
                        "unit_gemv",
                        "rms_norm_mul",
                        "unit_gemv");
        assertThat(launches).allMatch(Launch::isDependent);
    }

    @ParameterizedTest
    @CsvSource({"Q4_0, 5", "Q4_0, 8", "Q8_0, 32", "Q6_K, 64", "BF16, 16"})
    void aLayerOfABatchIsFourProductsWithTheirTokens(ElementType type, int tokens) {
        List<String> kinds = kinds(launches(layer(type, tokens)));
        assertThat(kinds.stream()
                        .filter(kind -> !kind.matches("attention.*|set_rows|rope_cache"))
                        .toList())
                .startsWith(
                        "unit_tokens",
                        "unit_mm",
                        "unit_tokens",
                        "unit_mm",
                        "unit_tokens",
                        "unit_mm",
                        "unit_tokens",
                        "unit_mm")
                .endsWith("unit_tokens", "unit_mm")
                .hasSizeLessThanOrEqualTo(11);
    }

    @Test
    void productsWithHalvesComputeTheNormThemselves() {
        List<String> kinds = kinds(launches(layer(ElementType.F16, 1)));
        assertThat(kinds.stream().filter("unit_gemv"::equals)).hasSize(5);
        // Not the last one: logits may be stored where the norm's operand was, which products would still read.
        assertThat(kinds.stream().filter(kind -> kind.contains("norm"))).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void everyLaunchOfATokenMayBeginBeforeTheOneBeforeItHasEnded() {
        assertThat(launches(layer(ElementType.Q4_0, 1)).stream()
                        .filter(launch -> !launch.isDependent())
                        .map(Launch::kernel)
                        .collect(Collectors.toSet()))
                .isEmpty();
    }

    @Test
    void aNormThatIsAnOutputIsWritten() {
        Tensor x = b.input("x", ElementType.F32, WIDTH, 1);
        Tensor normed = norm(x).asOutput();
        Graph graph = Graph.of(
                b.mulMat(matrix(ElementType.Q4_0, WIDTH, WIDTH), normed).asOutput());
        assertThat(kinds(launches(graph))).containsExactly("rms_norm_mul", "unit_gemv");
    }

    @ParameterizedTest
    @CsvSource({"Q4_0, 32", "Q4_K, 256", "BF16, bf16"})
    void ofAPromptNormsAndGatedUnitsAreTokensOfProductsThatAddTheSums(ElementType type, String rounding) {
        List<String> kernels = launches(layer(type, 200)).stream()
                .map(Launch::kernel)
                .filter(kernel -> !kernel.matches("(unit_dequantize|gemm|attention|rope|set_rows).*"))
                .toList();
        String attended = rounding.equals("bf16") ? "to_bfloat_f32" : "round_half_" + rounding;
        String norm = "rms_norm_mul_tokens_" + rounding;
        // A tile has fewer columns than a block of 256.
        List<String> unit = rounding.equals("256") ? List.of("glu_tokens_256") : List.of();
        assertThat(kernels)
                .containsExactlyElementsOf(Stream.of(List.of(norm, attended, norm), unit, List.of(norm))
                        .flatMap(List::stream)
                        .toList());
    }

    private List<String> products(ElementType type, int tokens) {
        return launches(layer(type, tokens)).stream()
                .map(Launch::kernel)
                .filter(kernel -> kernel.matches("(unit_dequantize|gemm).*"))
                .toList();
    }

    @Test
    void halvesInUnitsAreReadWhereTheyAre() {
        List<String> products = products(ElementType.F16, 2048);
        assertThat(products).hasSize(7).allMatch(kernel -> kernel.startsWith("gemm_sm90_"));
        assertThat(products.stream().filter(kernel -> kernel.startsWith("gemm_sm90_gated_")))
                .hasSize(1);
    }

    @Test
    void quantizedWeightsOfAGatedUnitBecomeHalvesTogether() {
        List<String> products = products(ElementType.Q4_0, 512);
        int unit = products.stream()
                .map(kernel -> kernel.startsWith("gemm_sm90_gated_"))
                .toList()
                .indexOf(true);
        assertThat(products.subList(unit - 2, unit)).containsOnly("unit_dequantize_q4_0");
    }

    @Test
    void aGatedUnitThatIsAnOutputIsWritten() {
        Tensor x = b.input("x", ElementType.F32, WIDTH, 200);
        Tensor unit = b.swiglu(
                        b.mulMat(matrix(ElementType.F16, WIDTH, WIDTH), x),
                        b.mulMat(matrix(ElementType.F16, WIDTH, WIDTH), x))
                .asOutput();
        Graph graph =
                Graph.of(b.mulMat(matrix(ElementType.F16, WIDTH, WIDTH), unit).asOutput());
        assertThat(launches(graph)).extracting(Launch::kernel).anyMatch(kernel -> kernel.startsWith("glu_"));
    }

    @Test
    void aGatedUnitOfProductsOfDifferentTokensIsComputedApart() {
        Tensor unit = b.swiglu(
                b.mulMat(matrix(ElementType.F16, WIDTH, WIDTH), b.input("x", ElementType.F32, WIDTH, 200)),
                b.mulMat(matrix(ElementType.F16, WIDTH, WIDTH), b.input("y", ElementType.F32, WIDTH, 200)));
        Graph graph =
                Graph.of(b.mulMat(matrix(ElementType.F16, WIDTH, WIDTH), unit).asOutput());
        assertThat(launches(graph)).extracting(Launch::kernel).contains("glu_tokens_f16");
    }
}
