package dev.stowage.cuda.op.strided;

import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.op.copy.CopyFamily;
import dev.stowage.cuda.op.elementwise.ElementwiseFamily;
import dev.stowage.cuda.op.row.RowFamily;
import dev.stowage.cuda.op.window.WindowFamily;
import dev.stowage.cuda.program.Launch;
import dev.stowage.device.OpSupport;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The launches of element-wise ops, copies, rows and windows. */
class StridedLaunchesTest {

    private static final Map<Op, OpKernel> KERNELS = kernels();

    private static final long SEED = 11;
    private static final int RANDOM_CASES = 20;

    private final GraphBuilder builder = new GraphBuilder();

    private static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.putAll(ElementwiseFamily.kernels());
        kernels.putAll(CopyFamily.kernels());
        kernels.putAll(RowFamily.kernels());
        kernels.putAll(WindowFamily.kernels());
        return kernels;
    }

    static List<Op> ops() {
        return List.copyOf(KERNELS.keySet());
    }

    /** The list of launches checks names and arguments. */
    @ParameterizedTest
    @MethodSource("ops")
    void everySupportedCaseLaunchesKernelsThatExist(Op op) {
        List<OpCase> cases = new ArrayList<>(OpCases.of(op));
        cases.addAll(OpCases.random(op, SEED, RANDOM_CASES));
        int launched = 0;
        for (OpCase opCase : cases) {
            Graph graph = opCase.build().graph();
            if (support(graph).isSupported()) {
                launched += launches(graph).size();
            }
        }
        assertThat(launched).isPositive();
    }

    @Test
    void sumsOfAlignedRowsTakeFourElementsAtOnce() {
        assertThat(kernelsOf(builder.add(input(F32, 64, 3), input(F32, 64)))).containsExactly("binary_rows_f32");
        assertThat(kernelsOf(builder.add(input(F32, 33, 3), input(F32, 33)))).containsExactly("binary_strided");
        assertThat(kernelsOf(builder.add(input(F16, 64, 3), input(F32, 64)))).containsExactly("binary_strided");
    }

    @Test
    void tensorsWithoutGapsAreOneRow() {
        Tensor sum = builder.add(input(F32, 33, 3), input(F32, 33, 3));
        List<Launch> launches = launches(Graph.of(sum));
        assertThat(launches).hasSize(1);
        assertThat(launches.getFirst().kernel()).isEqualTo("binary_rows_f32");
        assertThat(launches.getFirst().arguments())
                .filteredOn(Launch.ViewArgument.class::isInstance)
                .extracting(
                        argument -> ((Launch.ViewArgument) argument).layout().shape())
                .containsOnly(Shape.of(99));
    }

    @Test
    void copiesTakeTheLargestUnitThatFits() {
        Tensor a = input(F32, 64, 6);
        assertThat(kernelsOf(builder.cont(builder.view2d(a, 32, 6, a.stride(1), 16))))
                .containsExactly("copy_16");
        assertThat(kernelsOf(builder.cont(builder.view2d(a, 32, 6, a.stride(1), 8))))
                .containsExactly("copy_8");
        assertThat(kernelsOf(builder.cont(builder.view2d(a, 31, 6, a.stride(1), 0))))
                .containsExactly("copy_4");
        Tensor blocks = input(ElementType.Q4_0, 64, 6);
        assertThat(kernelsOf(builder.cont(builder.view2d(blocks, 32, 6, blocks.stride(1), 0))))
                .containsExactly("copy_2");
    }

    @Test
    void matricesAreTransposedThroughSharedMemory() {
        assertThat(kernelsOf(builder.cont(builder.transpose(input(F32, 40, 50)))))
                .containsExactly("transpose_4");
        assertThat(kernelsOf(builder.cast(builder.transpose(input(F32, 40, 50)), F16)))
                .containsExactly("transpose_f32_f16");
        assertThat(kernelsOf(builder.cont(builder.transpose(input(F32, 4, 50)))))
                .containsExactly("copy_4");
    }

    @Test
    void aCopyOntoItselfLaunchesNothing() {
        assertThat(kernelsOf(builder.dupInplace(input(F32, 9, 4)))).isEmpty();
    }

    @Test
    void anEmptyPartOfAConcatenationIsNotCopied() {
        assertThat(kernelsOf(builder.concat(input(F32, 0, 3), input(F32, 5, 3), 0)))
                .hasSize(1);
    }

    @Test
    void formatsThatAreOnlyReadAreRefusedAsTargets() {
        Tensor cast = builder.cast(input(F32, 256, 2), ElementType.Q4_K);
        assertThat(support(Graph.of(cast)).reason()).contains("q4_K");
        assertThat(support(Graph.of(builder.getRows(input(ElementType.Q4_K, 256, 2), input(I32, 3))))
                        .isSupported())
                .isTrue();
    }

    @Test
    void elementsBetweenTheirSizesAreRefused() {
        Tensor shifted = builder.view1d(input(F32, 16), 8, 2);
        assertThat(support(Graph.of(builder.sqr(shifted))).reason()).contains("multiples of their size");
    }

    /** Follows the indices of strided.cuh. */
    @Test
    void gridsCoverEveryElementOnce() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 200; i++) {
            int columns = random.nextInt(1, 700);
            int rows = random.nextInt(1, 40);
            Launch launch = RowGrid.launch("none", Shape.of(columns, rows));
            assertThat(visits(launch, columns, rows))
                    .as("%d columns, %d rows", columns, rows)
                    .containsOnly(1);
        }
    }

    @Test
    void noWarpHasElementsOfTwoRows() {
        for (int columns = 32; columns <= 512; columns += 32) {
            assertThat(RowGrid.launchByWarp("none", Shape.of(columns, 5))
                                    .block()
                                    .x()
                            % 32)
                    .isZero();
        }
    }

    private static int[] visits(Launch launch, int columns, int rows) {
        int[] visits = new int[columns * rows];
        Dim3 grid = launch.grid();
        Dim3 block = launch.block();
        for (int firstRow = 0; firstRow < grid.x() * block.y(); firstRow++) {
            for (int firstColumn = 0; firstColumn < grid.y() * block.x(); firstColumn++) {
                for (int row = firstRow; row < rows; row += grid.x() * block.y()) {
                    for (int column = firstColumn; column < columns; column += grid.y() * block.x()) {
                        visits[row * columns + column]++;
                    }
                }
            }
        }
        return visits;
    }

    private Tensor input(ElementType type, long... dimensions) {
        Shape shape = Shape.of(dimensions);
        return builder.tensor(type, shape.d0(), shape.d1(), shape.d2(), shape.d3())
                .asInput();
    }

    private static List<String> kernelsOf(Tensor result) {
        Graph graph = Graph.of(result);
        assertThat(support(graph).reason()).isEmpty();
        return launches(graph).stream().map(Launch::kernel).toList();
    }

    private static OpSupport support(Graph graph) {
        for (Tensor node : graph.nodes()) {
            OpKernel kernel = KERNELS.get(node.op());
            OpSupport support = kernel == null ? OpSupport.yes() : kernel.supports(node, PlacedGraph.HOPPER);
            if (!support.isSupported()) {
                return support;
            }
        }
        return OpSupport.yes();
    }

    private static List<Launch> launches(Graph graph) {
        try (PlacedGraph placed = PlacedGraph.apart(graph)) {
            return placed.launches(KERNELS).launches();
        }
    }
}
