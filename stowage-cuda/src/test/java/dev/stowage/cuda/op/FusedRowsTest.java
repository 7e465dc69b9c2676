package dev.stowage.cuda.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.op.norm.NormFamily;
import dev.stowage.cuda.op.rope.RopeFamily;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters.Rope;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which neighbours RMS norms and rotations are fused with. */
class FusedRowsTest {

    private final GraphBuilder b = new GraphBuilder();

    private Tensor input(long... shape) {
        return b.tensor(ElementType.F32, shape).asInput();
    }

    private static boolean fusesNorm(Tensor product) {
        try (PlacedGraph placed = PlacedGraph.apart(Graph.of(product))) {
            List<Step> steps = placed.steps();
            return NormFamily.canFuseRmsNormMul(steps.get(0), steps.get(1));
        }
    }

    @Test
    void multipliesRowsWithAWeight() {
        assertThat(fusesNorm(b.mul(b.rmsNorm(input(64, 3), 1e-6f), input(64)))).isTrue();
    }

    @Test
    void leavesASingleFactorAlone() {
        assertThat(fusesNorm(b.mul(b.rmsNorm(input(64, 3), 1e-6f), input(1)))).isFalse();
    }

    @Test
    void leavesTheSquareOfANormAlone() {
        Tensor norm = b.rmsNorm(input(64, 3), 1e-6f);
        assertThat(fusesNorm(b.mul(norm, norm))).isFalse();
    }

    @Test
    void leavesHalfPrecisionAlone() {
        Tensor norm = b.rmsNorm(b.tensor(ElementType.F16, 64, 3).asInput(), 1e-6f);
        assertThat(fusesNorm(b.mul(norm, b.tensor(ElementType.F16, 64).asInput())))
                .isFalse();
    }

    @Test
    void writesOverTheOperandOfTheNorm() {
        Tensor x = input(64, 3);
        Tensor product = b.mul(b.rmsNorm(x, 1e-6f), input(64));
        try (PlacedGraph placed = PlacedGraph.over(Graph.of(product), product, x)) {
            List<Step> steps = placed.steps();
            assertThat(NormFamily.canFuseRmsNormMul(steps.get(0), steps.get(1))).isTrue();
        }
    }

    @Test
    void doesNotWriteOverOtherRowsOfTheOperand() {
        Tensor larger = input(64, 4);
        Tensor x = b.view2d(larger, 64, 3, larger.stride(1), larger.stride(1));
        Tensor product = b.mul(b.rmsNorm(x, 1e-6f), input(64));
        try (PlacedGraph placed = PlacedGraph.over(Graph.of(product), product, larger)) {
            List<Step> steps = placed.steps();
            assertThat(NormFamily.canFuseRmsNormMul(steps.get(0), steps.get(1))).isFalse();
        }
    }

    @Test
    void addsAndNormalisesInOneLaunch() {
        Tensor sum = b.add(input(64, 3), input(64, 3));
        Tensor product = b.mul(b.rmsNorm(sum, 1e-6f), input(64));
        try (PlacedGraph placed = PlacedGraph.apart(Graph.of(product))) {
            List<Step> steps = placed.steps();
            assertThat(NormFamily.canFuseAddRmsNormMul(steps.get(0), steps.get(1), steps.get(2)))
                    .isTrue();
            LaunchList launches = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard());
            NormFamily.addRmsNormMul(steps.get(0), steps.get(1), steps.get(2), launches);
            assertThat(launches.launches())
                    .singleElement()
                    .extracting(Launch::kernel)
                    .isEqualTo("add_rms_norm_mul_f32x4");
        }
    }

    @Test
    void leavesASumWithARepeatedRowAlone() {
        Tensor sum = b.add(input(64, 3), input(64));
        Tensor product = b.mul(b.rmsNorm(sum, 1e-6f), input(64));
        try (PlacedGraph placed = PlacedGraph.apart(Graph.of(product))) {
            List<Step> steps = placed.steps();
            assertThat(NormFamily.canFuseAddRmsNormMul(steps.get(0), steps.get(1), steps.get(2)))
                    .isFalse();
        }
    }

    @Test
    void rotatesIntoACacheInOneLaunch() {
        Tensor rotated = b.rope(input(32, 4, 5), b.tensor(ElementType.I32, 5).asInput(), Rope.of(32, RopeMode.NEOX));
        Tensor rows = b.view2d(rotated, 128, 5, rotated.stride(2), 0);
        Tensor cache = b.tensor(ElementType.F16, 128, 16).asInput();
        Tensor stored = b.setRows(cache, rows, b.tensor(ElementType.I64, 5).asInput());
        try (PlacedGraph placed = PlacedGraph.apart(Graph.of(stored))) {
            List<Step> steps = placed.steps();
            assertThat(RopeFamily.canFuse(steps.get(0), steps.get(1))).isTrue();
            LaunchList launches = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard());
            RopeFamily.ropeSetRows(steps.get(0), steps.get(1), launches);
            assertThat(launches.launches())
                    .singleElement()
                    .extracting(Launch::kernel)
                    .isEqualTo("rope_set_rows_f16_i64");
        }
    }

    @Test
    void leavesHeadsInRowsOfTheirOwnAlone() {
        Tensor rotated = b.rope(input(32, 4, 1), b.tensor(ElementType.I32, 1).asInput(), Rope.of(32, RopeMode.NEOX));
        Tensor cache = b.tensor(ElementType.F16, 32, 16).asInput();
        Tensor stored = b.setRows(cache, rotated, b.tensor(ElementType.I64, 4).asInput());
        try (PlacedGraph placed = PlacedGraph.apart(Graph.of(stored))) {
            List<Step> steps = placed.steps();
            assertThat(RopeFamily.canFuse(steps.get(0), steps.get(1))).isFalse();
        }
    }
}
