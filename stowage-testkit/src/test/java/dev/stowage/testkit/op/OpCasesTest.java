package dev.stowage.testkit.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class OpCasesTest {

    /** Steps of training and a leaf: no op function makes them. */
    private static final Set<Op> WITHOUT_FUNCTION = EnumSet.of(
            Op.NONE,
            Op.REPEAT_BACK,
            Op.SILU_BACK,
            Op.RMS_NORM_BACK,
            Op.GET_ROWS_BACK,
            Op.SOFT_MAX_BACK,
            Op.IM2COL_BACK,
            Op.POOL_2D_BACK,
            Op.FLASH_ATTN_BACK,
            Op.CROSS_ENTROPY_LOSS,
            Op.CROSS_ENTROPY_LOSS_BACK,
            Op.OPT_STEP_ADAMW,
            Op.OPT_STEP_SGD);

    static Set<Op> ops() {
        return EnumSet.complementOf(EnumSet.copyOf(WITHOUT_FUNCTION));
    }

    @Test
    void thereAreCasesForEveryOpThatAnOpFunctionMakes() {
        assertThat(OpCases.ops()).containsExactlyInAnyOrderElementsOf(ops());
    }

    @ParameterizedTest
    @MethodSource("ops")
    void asManyRandomCasesAsAreWantedAreDrawnAndAllDiffer(Op op) {
        List<OpCase> drawn = OpCases.random(op, 5, 20);

        assertThat(drawn)
                .hasSize(20)
                .allSatisfy(opCase -> assertThat(opCase.op()).isEqualTo(op));
        assertThat(drawn).extracting(OpCase::name).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("ops")
    void theSameSeedDrawsTheSameCases(Op op) {
        assertThat(OpCases.random(op, 9, 5))
                .extracting(OpCase::name)
                .isEqualTo(OpCases.random(op, 9, 5).stream().map(OpCase::name).toList());
    }

    @Test
    void noTwoFixedCasesHaveTheSameName() {
        assertThat(OpCases.all()).extracting(OpCase::name).doesNotHaveDuplicates();
    }

    @Test
    void aCaseIsMadeOfNewTensorsEachTimeWithTheSameBytes() {
        for (OpCase opCase : OpCases.all()) {
            OpGraph first = opCase.build();
            OpGraph second = opCase.build();

            assertThat(second.result()).as(opCase.name()).isNotSameAs(first.result());
            for (int input = 0; input < first.inputs().size(); input++) {
                assertThat(second.bytesOf(input)).as(opCase.name()).isEqualTo(first.bytesOf(input));
            }
        }
    }

    @Test
    void inputsFillTheirTensors() {
        for (OpCase opCase : OpCases.all()) {
            OpGraph made = opCase.build();
            for (int input = 0; input < made.inputs().size(); input++) {
                Tensor tensor = made.inputs().get(input);

                assertThat(tensor.isView()).as(opCase.name()).isFalse();
                assertThat(made.bytesOf(input).length).as(opCase.name()).isEqualTo(tensor.byteSize());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"MUL_MAT", "MUL_MAT_ID", "GET_ROWS", "CPY"})
    void everyTypeThatWeightsHaveIsRead(Op op) {
        assertThat(operandTypes(op)).containsAll(weightTypes());
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"SET_ROWS", "CPY"})
    void everyTypeThatCanBeQuantisedOnTheFlyIsWritten(Op op) {
        Set<ElementType> written = OpCases.of(op).stream()
                .map(opCase -> opCase.build().result().type())
                .collect(Collectors.toSet());

        assertThat(written)
                .contains(ElementType.Q4_0, ElementType.Q8_0, ElementType.Q2_K, ElementType.Q6_K, ElementType.IQ4_XS)
                .contains(ElementType.MXFP4, ElementType.TQ1_0, ElementType.F16, ElementType.BF16);
    }

    private static Set<ElementType> operandTypes(Op op) {
        return OpCases.of(op).stream()
                .flatMap(opCase -> opCase.build().inputs().stream())
                .map(Tensor::type)
                .collect(Collectors.toSet());
    }

    /** All but the two that only ever hold activations. */
    private static List<ElementType> weightTypes() {
        return Arrays.stream(ElementType.values())
                .filter(ElementType::isQuantized)
                .filter(type -> type != ElementType.Q8_1 && type != ElementType.Q8_K)
                .toList();
    }

    @Test
    void anOpThatCanWorkInPlaceHasACaseForIt() {
        assertThat(ops().stream().filter(op -> op.mayOverwrite(0) || op.mayOverwrite(1)))
                .allSatisfy(op -> assertThat(OpCases.of(op))
                        .anyMatch(opCase -> !opCase.inPlaceOperands().isEmpty() && !opCase.overwritesOperand()));
    }

    @Test
    void aResultOverItsOperandIsMarkedSo() {
        Stream<OpCase> inPlace = OpCases.of(Op.ADD).stream().filter(OpCase::overwritesOperand);

        assertThat(inPlace).isNotEmpty().allSatisfy(opCase -> {
            assertThat(opCase.inPlaceOperands()).containsExactly(0);
            assertThat(opCase.build().result().isView()).isTrue();
        });
    }

    @Test
    void thereAreStridedOperandsEmptyOnesAndSingleNumbersForAddition() {
        List<Tensor> operands = OpCases.of(Op.ADD).stream()
                .map(opCase -> opCase.build().result().source(0))
                .toList();

        assertThat(operands).anyMatch(a -> !a.layout().isContiguous());
        assertThat(operands).anyMatch(a -> a.layout().isPermuted());
        assertThat(operands).anyMatch(a -> a.shape().isEmpty());
        assertThat(operands).anyMatch(a -> a.shape().isScalar());
        assertThat(operands).anyMatch(a -> a.viewOffset() > 0);
    }
}
