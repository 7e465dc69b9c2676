package dev.stowage.cpu.op.elementwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ElementwiseFamilyTest {

    private static final List<ElementType> FLOATS = List.of(ElementType.F32, ElementType.F16, ElementType.BF16);

    @ParameterizedTest
    @EnumSource(value = UnaryFunction.class, mode = EnumSource.Mode.EXCLUDE, names = "XIELU")
    void appliesEveryFunctionToRowsWithGaps(UnaryFunction function) {
        for (ElementType type : FLOATS) {
            check(1, g -> g.unary(rowsWithGaps(g, type, "a"), function));
        }
    }

    @ParameterizedTest
    @EnumSource(value = UnaryFunction.class, mode = EnumSource.Mode.EXCLUDE, names = "XIELU")
    void appliesEveryFunctionInPlace(UnaryFunction function) {
        check(1, g -> g.unaryInplace(g.input("a", ElementType.F32, 1000, 3), function));
    }

    @Test
    void appliesTheFunctionWithCoefficientsToStridedElements() {
        check(1, g -> g.xielu(g.transpose(g.input("a", ElementType.F32, 37, 50)), 0.3f, 0.7f, 0.5f, -1e-6f));
    }

    @ParameterizedTest
    @EnumSource(
            value = GluFunction.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SWIGLU_OAI", "GEGLU"})
    void gatesHalvesAndPairs(GluFunction function) {
        for (ElementType type : FLOATS) {
            check(2, g -> g.glu(g.input("a", type, 2 * 77, 5), function));
            check(3, g -> g.gluSwapped(g.input("a", type, 2 * 77, 5), function));
            check(4, g -> g.gluSplit(rowsWithGaps(g, type, "gate"), rowsWithGaps(g, type, "up"), function));
        }
    }

    /**
     * For gates below about -6 the reference has a factor of exactly 0, which makes NaN of infinity, and kernels do
     * not.
     */
    @Test
    void gatesFiniteNumbersByGelu() {
        for (ElementType type : FLOATS) {
            ElementwiseRun.ofFinite(2, g -> g.geglu(g.input("a", type, 2 * 77, 5)))
                    .check();
            ElementwiseRun.ofFinite(3, g -> g.gluSwapped(g.input("a", type, 2 * 77, 5), GluFunction.GEGLU))
                    .check();
            ElementwiseRun.ofFinite(4, g -> g.geglu(rowsWithGaps(g, type, "gate"), rowsWithGaps(g, type, "up")))
                    .check();
        }
    }

    @Test
    void gatesWithLimits() {
        check(
                5,
                g -> g.swigluOai(
                        g.input("gate", ElementType.F32, 1500, 2),
                        g.input("up", ElementType.F32, 1500, 2),
                        1.702f,
                        7f));
    }

    @Test
    void appliesFunctionsWithParameters() {
        for (ElementType type : FLOATS) {
            check(6, g -> g.scaleBias(g.input("a", type, 333, 3), 1.7f, -0.3f));
            check(7, g -> g.clamp(rowsWithGaps(g, type, "a"), -1.5f, 2.25f));
            check(8, g -> g.leakyRelu(g.transpose(g.input("a", type, 33, 41)), 0.1f));
            check(9, g -> g.add1(g.input("a", type, 2100), g.input("b", ElementType.F32, 1)));
        }
    }

    @Test
    void computesRootsLogarithmsAndAnglesOfStridedElements() {
        List<Function<GraphBuilder, Tensor>> formulas = List.of(
                g -> g.sqr(g.transpose(g.input("a", ElementType.F32, 33, 41))),
                g -> g.sqrt(g.transpose(g.input("a", ElementType.F32, 33, 41))),
                g -> g.log(g.transpose(g.input("a", ElementType.F16, 33, 41))),
                g -> g.sin(g.transpose(g.input("a", ElementType.F32, 33, 41))),
                g -> g.cos(g.transpose(g.input("a", ElementType.F32, 33, 41))));
        for (Function<GraphBuilder, Tensor> formula : formulas) {
            check(10, formula);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
    void combinesAnyMixtureOfTypesShapesAndStrides(long seed) {
        for (int i = 0; i < 20; i++) {
            long each = seed * 100 + i;
            check(each, g -> combined(g, new Random(each)));
        }
    }

    private static Tensor combined(GraphBuilder g, Random random) {
        long[] repeated = new long[4];
        long[] own = new long[4];
        for (int i = 0; i < 4; i++) {
            own[i] = random.nextBoolean() ? 1 : 1 + random.nextInt(i == 0 ? 90 : 4);
            repeated[i] = own[i] * (random.nextBoolean() ? 1 : 1 + random.nextInt(i == 0 ? 40 : 3));
        }
        Tensor a = g.input("a", FLOATS.get(random.nextInt(3)), repeated);
        Tensor b = g.input("b", FLOATS.get(random.nextInt(3)), own);
        if (random.nextInt(3) == 0) {
            a = g.permute(a, 1, 0, 2, 3);
            b = g.permute(b, 1, 0, 2, 3);
        }
        return switch (random.nextInt(6)) {
            case 0 -> g.sub(a, b);
            case 1 -> g.mul(a, b);
            case 2 -> g.div(a, b);
            case 3 -> g.addInplace(a, b);
            case 4 -> g.mulInplace(a, b);
            default -> g.add(a, b);
        };
    }

    @Test
    void castsASum() {
        check(
                20,
                g -> g.addCast(
                        g.input("a", ElementType.F16, 1111, 3), g.input("b", ElementType.F32, 1111), ElementType.F32));
        check(
                21,
                g -> g.addCast(
                        g.input("a", ElementType.BF16, 1111, 3), g.input("b", ElementType.F32, 1111), ElementType.F16));
    }

    @Test
    void addsAShiftedViewOfTheResultAsTheReferenceDoes() {
        check(22, g -> {
            Tensor all = g.input("a", ElementType.F32, 64, 9);
            return g.addInplace(g.view2d(all, 64, 8, 256, 0), g.view2d(all, 64, 8, 256, 256));
        });
    }

    @Test
    void addsOneColumnToItsNeighbourInPlace() {
        check(23, g -> {
            Tensor all = g.input("a", ElementType.F32, 64, 9);
            return g.addInplace(g.view2d(all, 32, 9, 256, 0), g.view2d(all, 32, 9, 256, 128));
        });
    }

    @Test
    void addsTheRowsThatIdsName() {
        for (ElementType type : FLOATS) {
            check(
                    24,
                    g -> g.addId(
                            g.input("a", type, 75, 4, 5),
                            g.input("table", ElementType.F32, 75, 3),
                            g.input("ids", ElementType.I32, 4, 5)));
        }
    }

    @Test
    void refusesIdsThatNameNoRow() {
        ElementwiseRun run = ElementwiseRun.of(
                25,
                g -> g.addId(
                        g.input("a", ElementType.F32, 75, 4, 5),
                        g.input("table", ElementType.F32, 75, 1),
                        g.input("ids", ElementType.I32, 4, 5)));

        assertThatThrownBy(() -> run.byKernels(1))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("names row");
    }

    @Test
    void fillsHalvesAndFloats() {
        check(26, g -> g.fill(g.input("a", ElementType.F32, 1037), 2.5f));
        check(27, g -> g.fill(g.input("a", ElementType.F16, 1037), -7f));
    }

    @Test
    void computesTheSameBitsOnAnyNumberOfThreads() {
        ElementwiseRun run = ElementwiseRun.of(
                28,
                g -> g.swiglu(g.input("gate", ElementType.F32, 14343, 3), g.input("up", ElementType.F32, 14343, 3)));

        double[] alone = run.byKernels(1);

        assertThat(run.byKernels(2)).isEqualTo(alone);
        assertThat(run.byKernels(5)).isEqualTo(alone);
    }

    private static Tensor rowsWithGaps(GraphBuilder g, ElementType type, String name) {
        Tensor all = g.input(name, type, 60, 7);
        return g.view2d(all, 51, 7, all.stride(1), 3L * type.bytesPerBlock());
    }

    private static void check(long seed, Function<GraphBuilder, Tensor> formula) {
        ElementwiseRun.of(seed, formula).check();
    }
}
