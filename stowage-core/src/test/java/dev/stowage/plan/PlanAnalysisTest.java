package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PlanAnalysisTest {

    private static final MeasuringBufferType MEMORY = MeasuringBufferType.of("memory", 16);

    private static MemoryPlan plan(Graph graph) {
        return Planner.ggml().plan(PlanRequest.of(graph, MEMORY));
    }

    /** What is live, from the definitions alone. */
    private static final class Counted {

        private final MemoryPlan plan;
        private final BruteForceLives lives;

        Counted(MemoryPlan plan) {
            this.plan = plan;
            this.lives = new BruteForceLives(plan.graph());
        }

        long bytes(int id) {
            long alignment = plan.request().bufferType(plan.buffer(id)).alignment();
            return Math.ceilDiv(plan.size(id), alignment) * alignment;
        }

        private boolean isCounted(int id, int time) {
            for (int result = 0; result < plan.graph().size(); result++) {
                if (plan.inPlaceOf(result) == id && lives.from(result) <= time) {
                    return false;
                }
            }
            return lives.from(id) <= time && time <= lives.to(id);
        }

        long liveBytes(int buffer, int time) {
            long sum = 0;
            for (int id = 0; id < plan.graph().size(); id++) {
                boolean isHere = plan.isPlanned(id)
                        && plan.request()
                                .bufferType(plan.buffer(id))
                                .equals(plan.request().bufferType(buffer));
                sum += isHere && isCounted(id, time) ? bytes(id) : 0;
            }
            return sum;
        }

        long mostLive(int buffer) {
            long most = 0;
            for (int time = Liveness.BEFORE; time <= plan.graph().nodeCount(); time++) {
                most = Math.max(most, liveBytes(buffer, time));
            }
            return most;
        }
    }

    @Nested
    class OnRandomGraphs {

        private interface Check {
            void accept(MemoryPlan plan, int buffer, long seed);
        }

        private void forEachBuffer(Check check) {
            for (long seed = 0; seed < 300; seed++) {
                MemoryPlan plan = Planner.ggml().plan(RandomGraphs.request(RandomGraphs.graph(seed), seed));
                for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
                    if (plan.request().firstWithSameType(buffer) == buffer) {
                        check.accept(plan, buffer, seed);
                    }
                }
            }
        }

        @Test
        void theLowerBoundIsTheMostThatIsLiveAtOnce() {
            forEachBuffer((plan, buffer, seed) -> assertThat(plan.analysis().lowerBound(buffer))
                    .as("seed %d, buffer %d", seed, buffer)
                    .isEqualTo(new Counted(plan).mostLive(buffer)));
        }

        @Test
        void theLowerBoundIsNeverAboveThePlan() {
            forEachBuffer((plan, buffer, seed) -> assertThat(plan.analysis().lowerBound(buffer))
                    .as("seed %d, buffer %d", seed, buffer)
                    .isLessThanOrEqualTo(plan.bufferSize(buffer)));
        }

        @Test
        void whatIsLiveAtThePeakAddsUpToTheLowerBound() {
            forEachBuffer((plan, buffer, seed) -> assertThat(plan.analysis().liveAtPeak(buffer).stream()
                            .mapToLong(LiveTensor::bytes)
                            .sum())
                    .as("seed %d, buffer %d", seed, buffer)
                    .isEqualTo(plan.analysis().lowerBound(buffer)));
        }

        @Test
        void thePeakIsANodeAtWhichTheMostIsLive() {
            forEachBuffer((plan, buffer, seed) -> assertThat(
                            new Counted(plan).liveBytes(buffer, plan.analysis().peakNode(buffer)))
                    .as("seed %d, buffer %d", seed, buffer)
                    .isEqualTo(plan.analysis().lowerBound(buffer)));
        }

        @Test
        void theLargestTensorsComeFirst() {
            forEachBuffer((plan, buffer, seed) -> assertThat(plan.analysis().liveAtPeak(buffer))
                    .as("seed %d, buffer %d", seed, buffer)
                    .isSortedAccordingTo(
                            Comparator.comparingLong(LiveTensor::bytes).reversed()));
        }

        @Test
        void theSumOfSizesIsThatOfAllPlannedTensors() {
            for (long seed = 0; seed < 300; seed++) {
                MemoryPlan plan = Planner.ggml().plan(RandomGraphs.request(RandomGraphs.graph(seed), seed));
                Counted counted = new Counted(plan);
                long sum = 0;
                for (int id = 0; id < plan.graph().size(); id++) {
                    sum += plan.isPlanned(id) ? counted.bytes(id) : 0;
                }

                assertThat(plan.analysis().sumOfSizes()).as("seed %d", seed).isEqualTo(sum);
            }
        }
    }

    @Test
    void theLowerBoundOfAChainIsTwoNeighbours() {
        Tensor last = leaf("x", 4);
        for (int i = 0; i < 10; i++) {
            last = cont("node" + i, 4, last);
        }
        PlanAnalysis analysis = plan(Graph.of(last)).analysis();

        assertThat(analysis.lowerBound()).isEqualTo(32);
        assertThat(analysis.sumOfSizes()).isEqualTo(11 * 16);
        assertThat(analysis.ratio()).isEqualTo(1.0);
    }

    @Test
    void anOperandAndTheResultInItsPlaceCountOnce() {
        Tensor x = leaf("x", 4);

        assertThat(plan(Graph.of(add("y", 4, x))).analysis().lowerBound()).isEqualTo(16);
    }

    @Test
    void theRatioIsWhatThePlanNeedsOverTheLowerBound() {
        Tensor small = leaf("small", 4);
        Tensor large = cont("large", 8, small);
        Tensor huge = cont("huge", 16, large);
        MemoryPlan plan = plan(Graph.of(huge));

        assertThat(plan.size())
                .as("'huge' does not fit into the hole of 16 bytes")
                .isEqualTo(112);
        assertThat(plan.analysis().lowerBound()).isEqualTo(96);
        assertThat(plan.analysis().ratio()).isEqualTo(112.0 / 96);
    }

    @Test
    void theRatioOfNothingIsPerfect() {
        assertThat(plan(Graph.listed(List.of(), List.of())).analysis().ratio()).isEqualTo(1.0);
    }

    @Test
    void thePeakOfAnEmptyGraphIsBeforeTheFirstNode() {
        PlanAnalysis analysis = plan(Graph.listed(List.of(), List.of())).analysis();

        assertThat(analysis.peakNode(0)).isEqualTo(Liveness.BEFORE);
        assertThat(analysis.liveAtPeak(0)).isEmpty();
    }

    @Test
    void thePeakOfAnEmptyBufferIsBeforeTheFirstNode() {
        Graph graph = Graph.of(cont("y", 8, leaf("x", 4)));
        MeasuringBufferType other = MeasuringBufferType.of("other", 16);
        PlanAnalysis analysis = Planner.ggml()
                .plan(PlanRequest.of(graph, List.of(MEMORY, other), new int[] {0}, new int[] {0}))
                .analysis();

        assertThat(analysis.peakNode(0)).isZero();
        assertThat(analysis.peakNode(1)).isEqualTo(Liveness.BEFORE);
        assertThat(analysis.liveAtPeak(1)).isEmpty();
    }

    @Test
    void theLowerBoundsOfTheBuffersAddUp() {
        Tensor x = leaf("x", 4);
        Graph graph = Graph.of(cont("y", 8, x));
        MeasuringBufferType other = MeasuringBufferType.of("other", 16);
        PlanAnalysis analysis = Planner.ggml()
                .plan(PlanRequest.of(graph, List.of(MEMORY, other), new int[] {1}, new int[] {0}))
                .analysis();

        assertThat(analysis.lowerBound(0)).isEqualTo(16);
        assertThat(analysis.lowerBound(1)).isEqualTo(32);
        assertThat(analysis.lowerBound()).isEqualTo(48);
    }

    @Test
    void isMadeOnce() {
        MemoryPlan plan = plan(RandomGraphs.graph(0));

        assertThat(plan.analysis()).isSameAs(plan.analysis());
    }

    @Nested
    class TheReasonToBeThere {

        private final Tensor x = leaf("x", 4);

        private String reason(Graph graph, Tensor tensor) {
            return plan(graph).analysis().liveAtPeak(0).stream()
                    .filter(live -> live.id() == graph.idOf(tensor))
                    .findFirst()
                    .orElseThrow()
                    .reason();
        }

        @Test
        void ofAnOutputIsThatItIsKept() {
            Tensor output = cont("output", 4, x).asOutput();

            assertThat(reason(Graph.of(output), output)).contains("output");
        }

        @Test
        void ofALeafNamesItsLastReader() {
            Graph graph = Graph.of(cont("reader", 4, x));

            assertThat(reason(graph, x)).contains("from the start", "node 0", "'reader'", "CONT");
        }

        @Test
        void ofAViewedTensorNamesTheView() {
            Graph graph = Graph.of(cont("reader", 4, view("window", x, 0, 4)));

            assertThat(reason(graph, x)).contains("node 1", "'reader'", "view 'window'");
        }

        @Test
        void ofANodeThatNoNodeReadsIsThatItIsComputed() {
            Tensor unread = cont("unread", 4, x);

            assertThat(reason(Graph.of(unread), unread)).contains("computed here", "read by nothing");
        }

        @Test
        void ofALeafThatNoNodeReadsSaysSo() {
            Tensor unread = leaf("unread", 4);
            Graph graph = Graph.listed(List.of(cont("node", 0, x)), List.of(x, unread));

            assertThat(reason(graph, unread)).contains("nothing reads");
        }
    }

    @Nested
    class TheExplanation {

        private final Tensor weight = leaf("weight", 1000).asWeight();
        private final Tensor x = leaf("x", 1024).asInput();
        private final Tensor scaled = add("scaled", 1024, x, weight);
        private final Tensor window = view("window", scaled, 0, 512);
        private final Tensor result = cont("result", 2048, window);
        private final Graph graph = Graph.of(result);
        private final String text = plan(graph).explain();

        @Test
        void namesThePlannerTheGraphAndTheSizes() {
            assertThat(text).contains("'ggml'", "3 nodes", "2 leaves", "12,288 bytes", "1.000 x", "16,384 bytes");
        }

        @Test
        void countsWhatSavesMemory() {
            assertThat(text).contains("1 results take the place", "1 tensors are views", "1 have memory of their own");
        }

        @Test
        void describesEachBuffer() {
            assertThat(text).contains("Buffer 0 (memory): 12,288 bytes in 1 chunk, lower bound 12,288");
        }

        @Test
        void listsWhatIsLiveAtThePeak() {
            assertThat(text).contains("at node 2 'result' (CONT)", "8,192  result:", "4,096  scaled:");
        }

        @Test
        void saysWhatIsOverwrittenThoughItIsAnOutput() {
            Tensor seen = view("seen", x, 0, 4).asOutput();
            Tensor first = cont("first", 1024, seen);
            Tensor second = cont("second", 1024, first);

            assertThat(plan(Graph.of(second)).explain()).contains("Note: ", "'x'", "'second'");
        }

        @Test
        void addsUpWhatItDoesNotList() {
            Tensor[] many = new Tensor[30];
            for (int i = 0; i < many.length; i++) {
                many[i] = leaf("leaf" + i, 4);
            }

            assertThat(plan(Graph.of(cont("all", 4, many))).explain()).contains("in 19 smaller ones", "304");
        }

        @Test
        void worksForNothing() {
            assertThat(plan(Graph.listed(List.of(), List.of())).explain()).contains("0 nodes", "0 bytes");
        }
    }
}
