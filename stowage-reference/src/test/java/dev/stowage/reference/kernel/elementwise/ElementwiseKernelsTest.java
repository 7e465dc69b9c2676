package dev.stowage.reference.kernel.elementwise;

import static dev.stowage.reference.kernel.TestNumbers.BRAIN;
import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.HALF;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static dev.stowage.reference.kernel.TestNumbers.q8Error;
import static java.lang.Double.NEGATIVE_INFINITY;
import static java.lang.Double.NaN;
import static java.lang.Double.POSITIVE_INFINITY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ElementwiseKernelsTest {

    private static final Set<Op> ARITHMETIC = EnumSet.of(Op.ADD, Op.SUB, Op.MUL, Op.DIV);

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    private static Tensor make(GraphBuilder ops, Op op, Tensor a, Tensor b) {
        return switch (op) {
            case ADD -> ops.add(a, b);
            case SUB -> ops.sub(a, b);
            case MUL -> ops.mul(a, b);
            case DIV -> ops.div(a, b);
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    private static double formula(Op op, double a, double b) {
        return switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"ADD", "SUB", "MUL", "DIV"})
    void repeatsTheSecondOperandInEveryDimension(Op op) {
        Random random = new Random(1);
        double[] a = TestNumbers.simple(random, 6 * 4 * 4 * 6);
        double[] b = TestNumbers.of(3 * 2 * 2 * 3, _ -> 1 + random.nextInt(8));
        Tensor result = make(ops, op, computation.f32(a, 6, 4, 4, 6), computation.f32(b, 3, 2, 2, 3));
        double[] expected = TestNumbers.of(a.length, n -> {
            int i0 = n % 6 % 3;
            int i1 = n / 6 % 4 % 2;
            int i2 = n / 24 % 4 % 2;
            int i3 = n / 96 % 3;
            return formula(op, a[n], b[((i3 * 2 + i2) * 2 + i1) * 3 + i0]);
        });
        assertClose(computation.compute(result), expected, FLOAT, "seed 1");
    }

    @ParameterizedTest
    @CsvSource({
        "F32, F32",
        "F16, F16",
        "BF16, BF16",
        "F16, F32",
        "BF16, F32",
        "F64, F64",
        "F32, F16",
        "F64, F32",
        "F32, I32"
    })
    void computesOnEveryPairOfTypes(ElementType first, ElementType second) {
        for (Op op : ARITHMETIC) {
            try (Computation own = new Computation()) {
                Random random = new Random(2);
                double[] a = TestNumbers.simple(random, 24);
                double[] b = TestNumbers.of(24, _ -> 1 + random.nextInt(8));
                Tensor result = make(own.ops(), op, own.leaf(first, a, 6, 4), own.leaf(second, b, 6, 4));
                double[] expected = TestNumbers.of(24, n -> formula(op, a[n], b[n]));
                assertClose(own.compute(result), expected, toleranceOf(first), op + ", seed 2");
            }
        }
    }

    private static double toleranceOf(ElementType type) {
        return type == ElementType.BF16 ? BRAIN : type == ElementType.F16 ? HALF : FLOAT;
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"ADD", "SUB", "MUL", "DIV"})
    void readsOperandsThroughTheirStrides(Op op) {
        double[] a = TestNumbers.counting(12);
        double[] b = TestNumbers.of(12, i -> i + 1);
        Tensor transposedA = ops.transpose(computation.f32(a, 4, 3));
        Tensor transposedB = ops.transpose(computation.f32(b, 4, 3));
        double[] expected = TestNumbers.of(12, n -> {
            int at = n % 3 * 4 + n / 3;
            return formula(op, a[at], b[at]);
        });
        assertClose(computation.compute(make(ops, op, transposedA, transposedB)), expected, FLOAT);
    }

    @Test
    void followsTheRulesForNanAndInfinity() {
        Tensor a = computation.f32(NaN, POSITIVE_INFINITY, 1, 0, -1);
        Tensor b = computation.f32(1, NEGATIVE_INFINITY, 0, 0, 0);
        double[] sum = computation.compute(ops.add(a, b));
        assertThat(sum).containsExactly(NaN, NaN, 1, 0, -1);
        double[] quotient = computation.compute(ops.div(a, b));
        assertThat(quotient).containsExactly(NaN, NaN, POSITIVE_INFINITY, NaN, NEGATIVE_INFINITY);
    }

    @Test
    void writesOverItsOperandAndNothingBesides() {
        Tensor whole = computation.f32(TestNumbers.counting(8), 4, 2);
        Tensor column = ops.view2d(whole, 1, 2, whole.stride(1), 4);
        double[] result = computation.compute(ops.addInplace(column, computation.f32(100)));
        assertThat(result).containsExactly(101, 105);
        assertThat(computation.read(whole)).containsExactly(0, 101, 2, 3, 4, 105, 6, 7);
    }

    @Test
    void isExactOnWholeNumbersThatNoDoubleHolds() {
        long large = (1L << 60) + 1;
        Tensor a = computation.i64(new long[] {large, large, -7}, 3);
        Tensor sum = ops.add(a, computation.i64(new long[] {1, -1, 2}, 3));
        computation.compute(sum);
        assertThat(TensorData.getLongs(sum)).containsExactly(large + 1, large - 1, -5);
    }

    @Test
    void repeatsWholeNumbersToo() {
        Tensor sum = ops.add(computation.i32(1, 2, 3, 4), computation.i32(10, 20));
        assertThat(computation.compute(sum)).containsExactly(11, 22, 13, 24);
    }

    @Test
    void dividesWholeNumbersTowardsZero() {
        Tensor quotient = ops.div(computation.i32(7, -7, 8), computation.i32(2, 2, -3));
        assertThat(computation.compute(quotient)).containsExactly(3, -3, -2);
    }

    @Test
    void refusesToMixLongsWithFloats() {
        Tensor node = ops.add(ops.tensor(ElementType.F32, 3), ops.tensor(ElementType.I64, 3));
        assertThat(ReferenceOps.supports(node).reason()).contains("ADD", "i64");
    }

    @Test
    void addsToQuantisedRowsAndQuantisesTheSum() {
        double[] a = TestNumbers.of(64, i -> i % 32 - 16);
        Tensor quantised = computation.leaf(ElementType.Q8_0, a, 32, 2);
        double[] sum = computation.compute(ops.add(quantised, computation.f32(TestNumbers.of(64, _ -> 16), 32, 2)));
        assertClose(sum, TestNumbers.map(a, x -> x + 16), q8Error(16) + q8Error(31));
    }

    @Test
    void castsTheSumOfAQuantisedOperand() {
        double[] a = TestNumbers.of(32, i -> i);
        double[] b = TestNumbers.of(32, i -> i / 8.0);
        Tensor quantised = computation.leaf(ElementType.Q8_0, a, 32);
        double[] sum = computation.compute(ops.addCast(quantised, computation.f32(b, 32), ElementType.F32));
        double[] decoded = computation.read(quantised);
        assertClose(sum, TestNumbers.of(32, i -> decoded[i] + b[i]), FLOAT);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "I32", "Q8_0"})
    void addsOneNumberToAll(ElementType type) {
        double[] a = TestNumbers.of(64, i -> i % 32 * 4 - 63);
        double[] sum = computation.compute(ops.add1(computation.leaf(type, a, 32, 2), computation.f32(3)));
        assertClose(sum, TestNumbers.map(a, x -> x + 3), type == ElementType.Q8_0 ? q8Error(63) + q8Error(66) : BRAIN);
    }

    @Test
    void addsTheRowsThatIdsName() {
        double[] a = TestNumbers.counting(2 * 3 * 2);
        double[] b = {100, 200, 300, 400, 500, 600, 700, 800};
        int[] ids = {3, 0, 1, 1, 2, 3};
        Tensor named = computation.leaf(ElementType.I32, TestNumbers.of(6, i -> ids[i]), 3, 2);
        Tensor sum = ops.addId(computation.f32(a, 2, 3, 2), computation.f32(b, 2, 4), named);
        double[] expected = TestNumbers.of(12, n -> a[n] + b[ids[n / 2] * 2 + n % 2]);
        assertThat(computation.compute(sum)).containsExactly(expected);
    }

    @Test
    void addsRowsByIdWhereTheResultOverlapsThoseRows() {
        double[] table = {1, 2, 3, 4, 5, 6};
        Tensor a = computation.f32(new double[6], 2, 3);
        Tensor b = computation.f32(table, 2, 3);
        Tensor sum = ops.addId(a, b, computation.i32(2, 0, 1));
        assertThat(computation.computeOver(b, sum)).containsExactly(5, 6, 1, 2, 3, 4);
    }

    @Test
    void refusesAnIdThatNamesNoRowAndWritesNothing() {
        Tensor a = computation.f32(new double[] {1, 2}, 1, 2);
        Tensor sum = ops.addId(a, computation.f32(new double[] {7, 8, 9}, 1, 3), computation.i32(0, 3));
        assertThatThrownBy(() -> computation.computeOver(a, sum))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("names row 3")
                .hasMessageContaining("rows 0 to 2");
        assertThat(computation.read(a)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "F64"})
    void computesFunctionsOfOneNumber(ElementType type) {
        double[] values = TestNumbers.of(30, i -> (i + 1) / 4.0);
        Tensor a = computation.leaf(type, values, 5, 3, 2);
        Map<Tensor, DoubleUnaryOperator> formulas = Map.of(
                ops.sqr(a),
                x -> x * x,
                ops.sqrt(a),
                Math::sqrt,
                ops.log(a),
                Math::log,
                ops.sin(a),
                Math::sin,
                ops.cos(a),
                Math::cos,
                ops.scale(a, 3),
                x -> x * 3,
                ops.scaleBias(a, 3, -2),
                x -> x * 3 - 2,
                ops.leakyRelu(a, 0.5f),
                x -> x);
        formulas.forEach((result, formula) -> assertClose(
                computation.compute(result), TestNumbers.map(values, formula), toleranceOf(type), result.toString()));
    }

    @Test
    void hasNoRootAndNoLogarithmOfNegativeNumbers() {
        Tensor a = computation.f32(-1, 0, POSITIVE_INFINITY, NaN);
        assertThat(computation.compute(ops.sqrt(a))).containsExactly(NaN, 0, POSITIVE_INFINITY, NaN);
        assertThat(computation.compute(ops.log(a))).containsExactly(NaN, NEGATIVE_INFINITY, POSITIVE_INFINITY, NaN);
    }

    @Test
    void clampsInPlaceAndTakesNanForTooLarge() {
        Tensor a = computation.f32(-5, -1, 0.5, 2, NaN, POSITIVE_INFINITY, NEGATIVE_INFINITY);
        double[] clamped = computation.compute(ops.clamp(a, -1, 1));
        assertThat(clamped).containsExactly(-1, -1, 0.5, 1, 1, 1, -1);
        assertThat(computation.read(a)).containsExactly(clamped);
    }

    @Test
    void leaksOnlyBelowZero() {
        Tensor a = computation.f32(-4, 0, 4, NaN, NEGATIVE_INFINITY, POSITIVE_INFINITY);
        assertThat(computation.compute(ops.leakyRelu(a, 0.25f)))
                .containsExactly(-1, 0, 4, 0, NEGATIVE_INFINITY, POSITIVE_INFINITY);
    }

    @Test
    void scalesInPlaceThroughAGap() {
        Tensor whole = computation.f32(TestNumbers.counting(6), 3, 2);
        Tensor left = ops.view2d(whole, 2, 2, whole.stride(1), 0);
        computation.compute(ops.scaleInplace(left, 10));
        assertThat(computation.read(whole)).containsExactly(0, 10, 2, 30, 40, 5);
    }

    @Test
    void computesNothingForAnEmptyTensor() {
        Tensor sum = ops.add(computation.f32(new double[0], 0, 3), computation.f32(new double[0], 0, 3));
        assertThat(computation.compute(sum)).isEmpty();
    }

    @Test
    void refusesFunctionsOfLongs() {
        Tensor node = ops.sqr(ops.tensor(ElementType.I64, 3));
        assertThat(ReferenceOps.supports(node).reason()).contains("SQR", "i64");
    }
}
