package dev.stowage.cpu.op.norm;

import static dev.stowage.cpu.op.FusionRun.f32;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.op.FusionRun;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AddRmsNormFusionTest {

    private static final double EXACT = 1e-12;

    @Test
    void isRightForTheSumAndItsWeightedNorm() {
        Random random = new Random(21);
        for (long seed = 0; seed < 40; seed++) {
            long n = 1L + random.nextInt(200);
            long rows = 1L + random.nextInt(9);
            FusionRun.of(seed, b -> {
                        Tensor sum = b.add(f32(b, n, rows), f32(b, n, rows));
                        Tensor normed = b.mul(b.rmsNorm(sum, 1e-5f), f32(b, n));
                        return List.of(normed, b.add(sum, normed), sum);
                    })
                    .check(EXACT);
        }
    }

    @Test
    void isRightWithoutWeights() {
        FusionRun run = FusionRun.of(1, b -> {
            Tensor sum = b.add(f32(b, 77, 5), f32(b, 77, 5));
            return List.of(b.rmsNorm(sum, 1e-5f), sum);
        });
        assertThat(run.tasks()).isEqualTo(1);
        run.check(EXACT);
    }

    @Test
    void isRightWhereTheNormIsReadByOthersThanTheProduct() {
        FusionRun run = FusionRun.of(2, b -> {
            Tensor norm = b.rmsNorm(b.add(f32(b, 77, 5), f32(b, 77, 5)), 1e-5f);
            return List.of(b.mul(norm, f32(b, 77)), b.sqr(norm));
        });
        assertThat(run.tasks()).isEqualTo(3);
        run.check(EXACT);
    }

    @Test
    void makesOneTaskOfThree() {
        FusionRun run =
                FusionRun.of(3, b -> List.of(b.mul(b.rmsNorm(b.add(f32(b, 64, 3), f32(b, 64, 3)), 1e-5f), f32(b, 64))));
        assertThat(run.tasks()).isEqualTo(1);
        assertThat(run.tasksWithout("add-rms-norm")).isEqualTo(2);
        assertThat(run.tasksWithout("add-rms-norm,rms-norm-mul")).isEqualTo(3);
    }

    @Test
    void isLeftForTermsOfTwoShapes() {
        FusionRun run = FusionRun.of(4, b -> List.of(b.rmsNorm(b.add(f32(b, 64, 3), f32(b, 64)), 1e-5f)));
        assertThat(run.tasks()).isEqualTo(2);
        run.check(EXACT);
    }

    /** A term is dead once it was added, so a planner may give part of its place to the norm. */
    @Test
    void isLeftWhereTheNormOverlapsPartOfATerm() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = f32(b, 64, 4);
        Tensor y = f32(b, 64, 4);
        Tensor sum = b.add(x, y);
        Tensor norm = b.rmsNorm(sum, 1e-5f);
        try (Buffer buffer = HostBufferType.standard().allocate(8192)) {
            buffer.place(x, 0);
            buffer.place(y, 2048);
            buffer.place(sum, 4096);
            buffer.place(norm, 2304);
            assertThat(FusionRun.tasks(Graph.of(norm), "")).isEqualTo(2);
        }
    }
}
