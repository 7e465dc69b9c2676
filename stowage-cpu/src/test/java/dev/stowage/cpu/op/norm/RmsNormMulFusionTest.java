package dev.stowage.cpu.op.norm;

import static dev.stowage.cpu.op.FusionRun.f32;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.op.FusionRun;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RmsNormMulFusionTest {

    private static final double EXACT = 1e-12;

    private static List<Tensor> normed(GraphBuilder b, Tensor x, Tensor weights) {
        return List.of(b.mul(b.rmsNorm(x, 1e-5f), weights));
    }

    @Test
    void isRightForRowsOfAnyLength() {
        Random random = new Random(11);
        for (long seed = 0; seed < 40; seed++) {
            long n = 1L + random.nextInt(200);
            long rows = 1L + random.nextInt(9);
            FusionRun.of(seed, b -> normed(b, f32(b, n, rows, 2), f32(b, n))).check(EXACT);
        }
    }

    @Test
    void isRightForWeightsThatRepeatOverSomeRows() {
        FusionRun.of(1, b -> normed(b, f32(b, 33, 6, 4, 2), f32(b, 33, 3, 2))).check(EXACT);
    }

    @Test
    void isRightForStridedRows() {
        FusionRun.of(2, b -> {
                    Tensor whole = f32(b, 40, 5, 3);
                    Tensor part = b.view3d(whole, 33, 5, 3, whole.stride(1), whole.stride(2), 8);
                    return normed(b, part, f32(b, 33));
                })
                .check(EXACT);
    }

    @Test
    void makesOneTaskOfTwo() {
        FusionRun run = FusionRun.of(3, b -> normed(b, f32(b, 64, 3), f32(b, 64)));
        assertThat(run.tasks()).isEqualTo(1);
        assertThat(run.tasksWithout("rms-norm-mul")).isEqualTo(2);
    }

    @Test
    void isLeftWhereTheNormIsReadByOthers() {
        FusionRun run = FusionRun.of(4, b -> {
            Tensor norm = b.rmsNorm(f32(b, 64, 3), 1e-5f);
            Tensor product = b.mul(norm, f32(b, 64));
            return List.of(product, b.sqr(norm));
        });
        assertThat(run.tasks()).isEqualTo(3);
        run.check(EXACT);
    }

    @Test
    void isLeftWhereTheNormIsAnOutput() {
        FusionRun run = FusionRun.of(5, b -> {
            Tensor norm = b.rmsNorm(f32(b, 64, 3), 1e-5f).asOutput();
            return List.of(b.mul(norm, f32(b, 64)), norm);
        });
        assertThat(run.tasks()).isEqualTo(2);
        run.check(EXACT);
    }

    @Test
    void isLeftWhereThereIsNoWeightForEachElement() {
        FusionRun run = FusionRun.of(6, b -> normed(b, f32(b, 64, 3), f32(b, 1)));
        assertThat(run.tasks()).isEqualTo(2);
        run.check(EXACT);
    }

    @Test
    void isLeftForWeightsOfAnotherType() {
        FusionRun run = FusionRun.of(7, b -> normed(b, f32(b, 64, 3), b.tensor(ElementType.F16, 64)));
        assertThat(run.tasks()).isEqualTo(2);
    }

    /** The operand is dead once it was normed, so a planner may give part of its place to the product. */
    @Test
    void isLeftWhereTheProductOverlapsPartOfTheOperand() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = f32(b, 64, 4);
        Tensor weights = f32(b, 64);
        Tensor norm = b.rmsNorm(x, 1e-5f);
        Tensor product = b.mul(norm, weights);
        try (Buffer buffer = HostBufferType.standard().allocate(8192)) {
            buffer.place(x, 0);
            buffer.place(norm, 2048);
            buffer.place(weights, 4096);
            buffer.place(product, 256);
            assertThat(FusionRun.tasks(Graph.of(product), "")).isEqualTo(2);
        }
    }
}
