package dev.stowage.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rows of a profile. */
class RunProfileTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 32, 4);
    private final Tensor sum = b.add(x, x).named("sum");
    private final Tensor normed = b.rmsNorm(x, 1e-5f);
    private final Tensor weighed = b.mul(normed, b.input("w", ElementType.F32, 32));
    private final Graph graph = b.build(sum, weighed);
    private final Backend cpu = QuietDevice.open("cpu");
    private final Backend gpu = QuietDevice.open("gpu");
    private final RunProfile profile = new RunProfile();

    private Tensor product(ElementType weights) {
        return b.mulMat(b.weight("weights", weights, 32, 8), x);
    }

    private List<String> opsOf(Tensor... nodes) {
        profile.reset();
        profile.computed(cpu, List.of(nodes), 0, 1);
        return profile.ops().stream().map(OpTime::op).toList();
    }

    @Test
    void sumsUpByDeviceAndOpWithTheLongestFirst() {
        profile.computed(cpu, List.of(sum), 100, 110);
        profile.computed(gpu, List.of(sum), 100, 150);
        profile.computed(cpu, List.of(b.add(sum, sum)), 200, 220);
        profile.computed(cpu, List.of(product(ElementType.F32)), 300, 420);

        assertThat(profile.ops())
                .containsExactly(
                        new OpTime("cpu", "MUL_MAT f32", 1, 120, 0.6),
                        new OpTime("gpu", "ADD", 1, 50, 0.25),
                        new OpTime("cpu", "ADD", 2, 30, 0.15));
    }

    @Test
    void nodesComputedAsOneAreARowOfTheirOwn() {
        profile.computed(cpu, List.of(normed, weighed), 0, 5);
        profile.computed(cpu, List.of(weighed), 5, 7);

        assertThat(profile.ops()).extracting(OpTime::op).containsExactly("RMS_NORM+MUL", "MUL");
    }

    @Test
    void viewsAmongNodesComputedAsOneAreNotNamed() {
        Tensor flat = b.reshape(normed, 128);

        assertThat(opsOf(normed, flat, b.sqr(flat))).containsExactly("RMS_NORM+SQR");
    }

    @Test
    void productsGoByTheTypeOfTheirWeights() {
        assertThat(opsOf(product(ElementType.Q4_0))).containsExactly("MUL_MAT q4_0");
        assertThat(opsOf(product(ElementType.F16))).containsExactly("MUL_MAT f16");
    }

    @Test
    void whatIsWrittenInAnotherTypeSaysSo() {
        assertThat(opsOf(b.cast(x, ElementType.F16))).containsExactly("CPY f16");
    }

    @Test
    void opsWithFunctionsGoByThose() {
        assertThat(opsOf(b.silu(x))).containsExactly("SILU");
        assertThat(opsOf(b.swiglu(x, x))).containsExactly("SWIGLU");
    }

    @Test
    void splitsAreSummedUpWithTheirCopies() {
        profile.copied(cpu, gpu, 0, x, 512, 10, 14);
        profile.copied(cpu, gpu, 0, x, 100, 14, 15);
        profile.ranSplit(gpu, 0, graph, 10, 40);
        profile.ranSplit(cpu, 1, graph, 40, 50);
        profile.ranSplit(gpu, 0, graph, 60, 70);

        assertThat(profile.splits())
                .containsExactly(
                        new SplitTime("gpu", 0, 2, 2L * graph.nodeCount(), 40, 0.8, 2, 612, 5),
                        new SplitTime("cpu", 1, 1, graph.nodeCount(), 10, 0.2, 0, 0, 0));
    }

    @Test
    void whatThereIsNoRoomForIsSummedUpTogether() {
        for (int split = 0; split < RunProfile.MAX_ROWS + 3; split++) {
            profile.ranSplit(cpu, split, graph, 0, 2);
        }
        profile.ranSplit(cpu, 0, graph, 0, 2);

        assertThat(profile.splits()).hasSize(RunProfile.MAX_ROWS + 1);
        assertThat(profile.splits())
                .filteredOn(row -> row.split() == RunProfile.OTHER_SPLITS)
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.runs()).isEqualTo(3);
                    assertThat(row.nanos()).isEqualTo(6);
                    assertThat(row.device()).isEqualTo(RunProfile.OTHERS);
                });
    }

    @Test
    void forgetsEverythingWhenReset() {
        profile.computed(cpu, List.of(sum), 0, 10);
        profile.ranSplit(cpu, 0, graph, 0, 10);
        profile.reset();

        assertThat(profile.ops()).isEmpty();
        assertThat(profile.splits()).isEmpty();
    }

    @Test
    void nothingHasTakenAnyTimeAtFirst() {
        assertThat(profile.text()).startsWith("time per op, 0.000 ms in all\n").doesNotContain("split");
    }

    @Test
    void sharesOfNoTimeAreNone() {
        profile.computed(cpu, List.of(sum), 5, 5);

        assertThat(profile.ops()).extracting(OpTime::share).containsExactly(0.0);
    }

    @Test
    void theTextLinesUpNumbersAndNames() {
        profile.computed(cpu, List.of(product(ElementType.Q4_0)), 0, 3_000_000);
        profile.computed(gpu, List.of(sum), 0, 500_000);
        profile.computed(gpu, List.of(sum), 0, 500_000);
        profile.copied(cpu, gpu, 1, x, 512, 0, 20_000);
        profile.ranSplit(gpu, 1, graph, 0, 1_250_000);

        assertThat(profile.text()).isEqualTo("""
                        time per op, 4.000 ms in all
                              time   share  calls       mean  device  op
                          3.000 ms  75.0 %      1  3000.0 us  cpu     MUL_MAT q4_0
                          1.000 ms  25.0 %      2   500.0 us  gpu     ADD

                        time per split, 1.250 ms in all
                              time    share  runs       mean  nodes  copies  bytes   copying  device  split
                          1.250 ms  100.0 %     1  1250.0 us      3       1    512  0.020 ms  gpu     1
                        """);
    }

    @Test
    void theJsonHoldsTheSameNumbers() {
        profile.computed(cpu, List.of(sum), 0, 30);
        profile.computed(cpu, List.of(normed, weighed), 0, 10);
        profile.copied(gpu, cpu, 2, x, 512, 0, 7);
        profile.ranSplit(cpu, 2, graph, 0, 50);

        JsonCursor json = JsonReader.parse(profile.toJson()).cursor();
        List<JsonCursor> ops = new ArrayList<>();
        json.get("ops").elements().forEach(ops::add);
        assertThat(ops).extracting(op -> op.get("op").asString()).containsExactly("ADD", "RMS_NORM+MUL");
        assertThat(ops).extracting(op -> op.get("nanos").asLong()).containsExactly(30L, 10L);
        assertThat(ops.getFirst().get("share").asDouble()).isCloseTo(0.75, within(1e-12));
        JsonCursor split = json.get("splits").elements().iterator().next();
        assertThat(split.get("split").asLong()).isEqualTo(2);
        assertThat(split.get("nodes").asLong()).isEqualTo(graph.nodeCount());
        assertThat(split.get("nanos").asLong()).isEqualTo(50);
        assertThat(split.get("copied_bytes").asLong()).isEqualTo(512);
        assertThat(split.get("copy_nanos").asLong()).isEqualTo(7);
    }

    @Test
    void severalThreadsMayTellAtOnce() throws InterruptedException {
        int calls = 10_000;
        List<Thread> threads = new ArrayList<>();
        for (Backend backend : List.of(cpu, gpu, cpu)) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int call = 0; call < calls; call++) {
                    profile.computed(backend, List.of(sum), call, call + 1);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(profile.ops()).extracting(OpTime::calls).containsExactly(2L * calls, (long) calls);
    }
}
