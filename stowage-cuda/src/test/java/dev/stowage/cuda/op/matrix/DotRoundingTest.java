package dev.stowage.cuda.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.quant.DotType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That tokens are rounded as the reference does before they meet weights, and once for all products that read them. */
class DotRoundingTest {

    private final GraphBuilder b = new GraphBuilder();

    /** Tests are in the module of the classes they test, which does not read the reference. */
    @BeforeAll
    static void readReference() {
        ModuleLayer.boot()
                .findModule("dev.stowage.reference")
                .ifPresent(reference -> DotRoundingTest.class.getModule().addReads(reference));
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"Q8_1", "Q8_K"})
    void isThatOfTheReference(ElementType weights) {
        DotRounding expected = switch (DotType.of(weights)) {
            case F16 -> DotRounding.F16;
            case BF16 -> DotRounding.BF16;
            case Q8_0, Q8_1 -> DotRounding.BLOCKS_OF_32;
            case Q8_K -> DotRounding.BLOCKS_OF_256;
            default -> DotRounding.NONE;
        };
        assertThat(DotRounding.of(weights)).isEqualTo(expected);
    }

    private Tensor input(long... shape) {
        return b.tensor(ElementType.F32, shape).asInput();
    }

    private Tensor weight(ElementType type, long depth, long rows) {
        return b.tensor(type, depth, rows).asWeight();
    }

    private static List<String> kernels(Graph graph) {
        try (PlacedGraph placed = PlacedGraph.apart(graph)) {
            LaunchList list = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard(), placed.bound());
            for (Step step : placed.steps()) {
                Objects.requireNonNull(MatrixFamily.kernels().get(step.op())).launch(step, list);
            }
            return list.launches().stream().map(Launch::kernel).toList();
        }
    }

    @Test
    void productsOfTheSameTokensShareThem() {
        Tensor x = input(256, 256);
        Graph graph = Graph.of(
                b.mulMat(weight(ElementType.Q4_0, 256, 64), x), b.mulMat(weight(ElementType.Q8_0, 256, 64), x));

        assertThat(kernels(graph))
                .containsExactly(
                        "round_half_32", "to_half_q4_0", "gemm_sm90_64_f16", "to_half_q8_0", "gemm_sm90_64_f16");
    }

    @Test
    void weightsThatRoundInAnotherWayDoNot() {
        Tensor x = input(256, 2);
        Graph graph = Graph.of(
                b.mulMat(weight(ElementType.Q4_0, 256, 64), x), b.mulMat(weight(ElementType.Q4_K, 256, 64), x));

        assertThat(kernels(graph))
                .containsExactly("round_float_32", "mul_mat_columns_q4_0", "round_float_256", "mul_mat_columns_q4_k");
    }

    @Test
    void tokensThatANodeWritesIntoAreRoundedEachTime() {
        Tensor x = input(256, 2);
        Tensor first = b.mulMat(weight(ElementType.Q4_0, 256, 256), x);
        Tensor second = b.mulMat(weight(ElementType.Q4_0, 256, 64), b.cpy(first, x));

        try (PlacedGraph placed = PlacedGraph.apart(Graph.of(second))) {
            LaunchList list = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard(), placed.bound());
            assertThat(list.derived().canKeep(placed.bound().tensor(x))).isFalse();
            assertThat(list.derived().canKeep(placed.bound().tensor(first))).isTrue();
        }
    }
}
