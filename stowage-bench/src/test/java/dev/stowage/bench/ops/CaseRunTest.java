package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.models.ModelShapes;
import dev.stowage.tensor.ElementType;
import dev.stowage.testkit.op.Nmse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cases of any size but small ones would take long on the reference, which is all there is everywhere. */
class CaseRunTest {

    private static final MeasurementSettings BRIEF =
            new MeasurementSettings(2, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ofHours(1));

    private final Device reference = DeviceRegistry.load().device("reference");

    @Test
    void withoutGgmlOurSideIsMeasuredAlone() {
        OpBenchCase small = MatMulBenchCases.product(ElementType.Q8_0, 8, 3, 64, Demand.USUAL);

        CaseResult result = new CaseRun(reference, null, BRIEF).run(small, 1);

        assertThat(result.ours()).singleElement().satisfies(way -> {
            assertThat(way.variant()).isEqualTo("plain");
            assertThat(way.seconds()).hasSize(2);
        });
        assertThat(result.ggml()).isEmpty();
        assertThat(result.ratio()).isEmpty();
        assertThat(result.error()).isEmpty();
        assertThat(result.isExact()).isTrue();
    }

    @Test
    void aProductComputesWhatItsDataSay() {
        OpBenchCase small = MatMulBenchCases.product(ElementType.F32, 4, 2, 32, Demand.USUAL);

        try (TestData data = new TestData()) {
            double[] found = resultOf(small, data);
            BenchWorkload workload = small.make(data);
            var leaves = workload.graph().leaves();
            float[] weights = floats(workload, leaves.getFirst().isWeight() ? 0 : 1);
            float[] rows = floats(workload, leaves.getFirst().isWeight() ? 1 : 0);
            double[] expected = new double[8];
            for (int i = 0; i < expected.length; i++) {
                for (int k = 0; k < 32; k++) {
                    expected[i] += (double) weights[i % 4 * 32 + k] * rows[i / 4 * 32 + k];
                }
            }

            assertThat(Nmse.of(expected, found).error()).isLessThan(1e-12);
        }
    }

    private static float[] floats(BenchWorkload workload, int leaf) {
        return workload.contents(workload.graph().leaves().get(leaf)).toArray(java.lang.foreign.ValueLayout.JAVA_FLOAT);
    }

    private double[] resultOf(OpBenchCase benchCase, TestData data) {
        List<Contender> ways = DeviceContender.all(reference, () -> benchCase.make(data), 1);
        try {
            ways.getFirst().run();
            return ways.getFirst().result();
        } finally {
            ways.forEach(Contender::close);
        }
    }

    @Test
    void aWorkloadComputesTheSameEveryTimeItRuns() {
        OpBenchCase model =
                TransformerBenchCases.model(ModelShapes.transformer("small"), ElementType.Q8_0, 2, 3, Demand.USUAL);

        try (TestData data = new TestData()) {
            List<Contender> ways = DeviceContender.all(reference, () -> model.make(data), 1);
            try {
                ways.getFirst().run();
                double[] first = ways.getFirst().result();
                ways.getFirst().run();

                assertThat(Arrays.stream(first)).allMatch(Double::isFinite);
                assertThat(ways.getFirst().result()).isEqualTo(first);
            } finally {
                ways.forEach(Contender::close);
            }
        }
    }

    @Test
    void whatTheDeviceCannotComputeIsReportedAndNotMeasured() {
        OpBenchCase small = MatMulBenchCases.product(ElementType.F32, 4, 2, 32, Demand.USUAL);

        CaseResult result = new CaseRun(new RefusingDevice(reference), null, BRIEF).run(small, 1);

        assertThat(result.ours()).isEmpty();
        assertThat(result.remark()).contains("MUL_MAT", "too hot today");
    }
}
