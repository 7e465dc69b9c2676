package dev.stowage.schedule;

import static dev.stowage.schedule.Tensors.bareView;
import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.mulMat;
import static dev.stowage.schedule.Tensors.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.Capability;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.PlanValidator;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final DeviceSet devices = DeviceSet.of(gpu, cpu);

    private final Tensor token = input("token");
    private final Tensor weight = gpu.weight("weight");
    private final Tensor a = mulMat("a", weight, token);
    private final Tensor b = node("b", a);
    private final Tensor c = mulMat("c", cpu.weight("other"), b);
    private final Graph graph = Graph.of(c);
    private final Schedule schedule = Schedule.of(ScheduleRequest.of(graph, devices));

    @Test
    void saysWhereEverythingIs() {
        assertThat(schedule.deviceOf(a)).isZero();
        assertThat(schedule.deviceOf(b)).isZero();
        assertThat(schedule.deviceOf(c)).isEqualTo(1);
        assertThat(schedule.deviceOf(token)).isEqualTo(1);
        assertThat(schedule.deviceOf(weight)).isZero();
    }

    @Test
    void saysWhyEverythingIsThere() {
        Reason reason = schedule.reasonOf(a);

        assertThat(reason.rule()).isEqualTo(Rule.WEIGHT_THERE);
        assertThat(reason.rule().pass()).isEqualTo(Rule.Pass.SEED);
        assertThat(reason.because()).containsSame(weight);
        assertThat(reason).hasToString("a weight it reads is there: 'weight'");
        assertThat(schedule.reasonOf(b).rule()).isEqualTo(Rule.CARRIED_DOWN);
        assertThat(schedule.reasonOf(token)).hasToString("inputs are on the last device");
    }

    @Test
    void givesTheReasonWithADescriptionWhereATensorHasNoName() {
        Tensor nameless = gpu.weight("");
        Tensor reader = mulMat("reader", nameless, token);

        assertThat(Schedule.of(ScheduleRequest.of(Graph.of(reader), devices)).reasonOf(reader))
                .hasToString("a weight it reads is there: " + nameless.describe());
    }

    @Test
    void hasSplitsWithWhatIsCopiedBefore() {
        assertThat(schedule.splitCount()).isEqualTo(2);
        Split first = schedule.split(0);
        Split second = schedule.splits().get(1);

        assertThat(List.of(first.index(), first.device(), first.firstNode(), first.endNode(), first.nodeCount()))
                .containsExactly(0, 0, 0, 2, 2);
        assertThat(List.of(second.index(), second.device(), second.firstNode(), second.endNode()))
                .containsExactly(1, 1, 2, 3);
        assertThat(second.inputs()).singleElement().satisfies(inputCopy -> {
            assertThat(inputCopy.source()).isSameAs(b);
            assertThat(inputCopy.from()).isZero();
            assertThat(inputCopy.to()).isEqualTo(1);
        });
    }

    @Test
    void countsTheBytesThatCross() {
        assertThat(schedule.inputCopyCount()).isEqualTo(2);
        assertThat(schedule.inputCopyBytes()).isEqualTo(2 * Tensors.BYTES);
    }

    @Test
    void countsBytesOncePerRunHoweverManyRunsAreInFlight() {
        Schedule pipelined = Schedule.of(
                ScheduleRequest.of(graph, devices, ScheduleOptions.defaults().withPipeline()));

        assertThat(pipelined.copies()).isEqualTo(4);
        assertThat(pipelined.inputCopyBytes()).isEqualTo(2 * Tensors.BYTES);
    }

    @Test
    void plansEveryDevicesMemory() {
        assertThat(PlanValidator.check(schedule.plan())).isEmpty();
        assertThat(schedule.computeSize(0)).isEqualTo(schedule.plan().bufferSize(0));
        assertThat(schedule.computeSize(0)).as("the copy of the token, a and b").isEqualTo(2 * Tensors.BYTES);
        assertThat(schedule.computeSize(1)).as("the token, the copy of b, c").isEqualTo(2 * Tensors.BYTES);
    }

    @Test
    void countsMemoryThatTwoDevicesShareWithTheFirst() {
        FakeDevice blas = FakeDevice.called("blas").workingInMemoryOf(cpu);
        Schedule shared = Schedule.of(ScheduleRequest.of(graph, DeviceSet.of(gpu, blas, cpu)));

        assertThat(shared.computeSize(1)).isEqualTo(schedule.computeSize(1));
        assertThat(shared.computeSize(2)).isZero();
    }

    @Nested
    class ItsExplanation {

        @Test
        void beginsWithTheWhole() {
            assertThat(schedule.explain())
                    .startsWith(
                            "3 nodes over 2 devices: 2 splits, 2 tensors (128 bytes) copied between devices per run");
        }

        @Test
        void saysWhatEachDeviceNeeds() {
            assertThat(schedule.explain())
                    .contains("gpu: " + schedule.computeSize(0) + " bytes of gpu memory to compute in")
                    .contains("cpu: " + schedule.computeSize(1) + " bytes of host to compute in");
        }

        @Test
        void saysWhatIsCopiedBeforeASplit() {
            assertThat(schedule.explain())
                    .containsSubsequence("split 1 on cpu, 1 nodes", "copies 'b' from gpu, 64 bytes");
        }

        @Test
        void saysWhichPassAndRulePutEveryNodeWhereItIs() {
            assertThat(schedule.explain().lines())
                    .anyMatch(line -> line.matches(" *MUL_MAT +a +SEED: a weight it reads is there, 'weight'"))
                    .anyMatch(line -> line.matches(" *CONCAT +b +EXPAND: carried on from an earlier node, 'a'"));
        }

        @Test
        void saysHowManyCopiesAreUsedInTurn() {
            assertThat(Schedule.of(ScheduleRequest.of(
                                    graph, devices, ScheduleOptions.defaults().withPipeline(3)))
                            .explain())
                    .contains("copies 'token' from cpu, 64 bytes, 3 copies, one per pipeline slot");
        }

        @Test
        void saysWhoWorksInAnothersMemory() {
            FakeDevice blas = FakeDevice.called("blas").workingInMemoryOf(cpu);

            assertThat(Schedule.of(ScheduleRequest.of(graph, DeviceSet.of(gpu, blas, cpu)))
                            .explain())
                    .contains("cpu: works in the memory of blas");
        }

        @Test
        void saysWhereAViewIsThatRidesAlongWithOthers() {
            Tensor seen = Tensors.view("seen", token);
            Tensor reader = mulMat("reader", weight, seen);

            assertThat(Schedule.of(ScheduleRequest.of(Graph.of(reader), devices))
                            .explain()
                            .lines())
                    .anyMatch(line ->
                            line.matches(" *VIEW +seen +\\(cpu\\) FILL: a view is where its source is, 'token'"));
        }
    }

    @Nested
    class WhatTheCallerAssigns {

        @Test
        void holds() {
            Schedule assigned =
                    Schedule.of(new ScheduleRequest(graph, devices, ScheduleOptions.defaults(), Map.of(a, 1)));

            assertThat(assigned.deviceOf(a)).isEqualTo(1);
            assertThat(assigned.reasonOf(a).rule()).isEqualTo(Rule.CALLER);
        }

        @Test
        void doesNotMatterIfItIsNotInTheGraph() {
            Schedule assigned = Schedule.of(
                    new ScheduleRequest(graph, devices, ScheduleOptions.defaults(), Map.of(leaf("foreign"), 1)));

            assertThat(assigned.explain()).isEqualTo(schedule.explain());
        }

        @Test
        void mustNameADeviceThereIs() {
            ScheduleRequest request = new ScheduleRequest(graph, devices, ScheduleOptions.defaults(), Map.of(a, 2));

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> Schedule.of(request))
                    .withMessageContaining("device 2");
        }

        @Test
        void isCopiedWhenTheRequestIsMade() {
            Map<Tensor, Integer> assignments = new HashMap<>(Map.of(a, 1));
            ScheduleRequest request = new ScheduleRequest(graph, devices, ScheduleOptions.defaults(), assignments);
            assignments.put(a, 0);

            assertThat(Schedule.of(request).deviceOf(a)).isEqualTo(1);
        }
    }

    @Nested
    class UnlikeInGgml {

        @Test
        void schedulingAGraphTwiceGivesTheSame() {
            String before = graph.dump();

            Schedule again = Schedule.of(ScheduleRequest.of(graph, devices));

            assertThat(again.explain()).isEqualTo(schedule.explain());
            assertThat(again.plan().size()).isEqualTo(schedule.plan().size());
            assertThat(graph.dump()).isEqualTo(before);
        }

        @Test
        void aLeafReachedFirstThroughAViewHasADevice() {
            Tensor x = leaf("x");
            Tensor reader = node("reader", Tensors.view("seen", x));

            assertThat(Schedule.of(ScheduleRequest.of(Graph.of(reader), devices))
                            .reasonOf(x)
                            .rule())
                    .isEqualTo(Rule.WITH_VIEW);
        }

        @Test
        void aLeafReachedOnlyThroughABareViewHasADevice() {
            Tensor x = leaf("x");
            Tensor seen = bareView("seen", x);
            Schedule scheduled = Schedule.of(ScheduleRequest.of(Graph.of(mulMat("reader", weight, seen)), devices));

            assertThat(scheduled.deviceOf(x)).isZero();
            assertThat(scheduled.deviceOf(seen)).isZero();
            assertThat(scheduled.inputCopyCount()).isZero();
        }

        @Test
        void aLeafThatNoNodeReadsIsAllowed() {
            Graph withUnread = Graph.of(c, leaf("unread"));

            assertThat(Schedule.of(ScheduleRequest.of(withUnread, devices)).splitCount())
                    .isEqualTo(schedule.splitCount());
        }

        @Test
        void aGraphWithoutNodesIsScheduled() {
            assertThat(Schedule.of(ScheduleRequest.of(Graph.of(leaf("alone")), devices))
                            .inputCopyCount())
                    .isZero();
        }

        @Test
        void anOpThatNoDeviceSupportsIsAnErrorThatSaysWhyForEveryDevice() {
            gpu.refusing(Op.SQR);
            cpu.refusing(Op.SQR);
            Tensor impossible = node("impossible", Op.SQR, b);
            ScheduleRequest request = ScheduleRequest.of(Graph.of(impossible), devices);

            assertThatExceptionOfType(UnsupportedOpException.class)
                    .isThrownBy(() -> Schedule.of(request))
                    .withMessageContainingAll(
                            "'impossible' (SQR f32[16])", "'b'", "'gpu': gpu has no sqr", "'cpu': cpu has no sqr")
                    .satisfies(thrown -> assertThat(thrown.refusals()).containsOnlyKeys("gpu", "cpu"));
        }

        @Test
        void thereMayBeMoreDevicesThanSixteen() {
            FakeDevice[] forty = IntStream.range(0, 40)
                    .mapToObj(i -> FakeDevice.called("device" + i))
                    .toArray(FakeDevice[]::new);
            Tensor last = leaf("x");
            for (FakeDevice device : forty) {
                last = mulMat("on " + device, device.weight("weight of " + device), last);
            }
            Schedule scheduled = Schedule.of(ScheduleRequest.of(Graph.of(last), DeviceSet.of(forty)));

            assertThat(scheduled.splitCount()).isEqualTo(40);
            assertThat(scheduled.inputCopyCount()).isEqualTo(39);
            assertThat(PlanValidator.check(scheduled.plan())).isEmpty();
        }

        @Test
        void thereMayBeThousandsOfSplitsAndPipelineCopies() {
            gpu.having(Capability.EVENTS);
            Tensor last = token;
            for (int i = 0; i < 1500; i++) {
                last = mulMat("gpu" + i, weight, last);
                last = mulMat("cpu" + i, cpu.weight("w"), last);
            }
            Schedule scheduled = Schedule.of(ScheduleRequest.of(
                    Graph.of(last), devices, ScheduleOptions.defaults().withPipeline(5)));

            assertThat(scheduled.splitCount()).isEqualTo(3000);
            assertThat(scheduled.inputCopyCount()).isEqualTo(3000);
            assertThat(scheduled.plan().graph().leafCount())
                    .as("every input copy and the token five times, and the weights")
                    .isEqualTo(5 * 3001 + 1501);
        }
    }

    @Test
    void aLeanPipelineNeedsLessMemoryForTheSameSplits() {
        gpu.having(Capability.ASYNC, Capability.EVENTS);
        ScheduleOptions pipeline = ScheduleOptions.defaults().withPipeline();
        Tensor last = token;
        for (int i = 0; i < 8; i++) {
            last = mulMat("gpu" + i, weight, last);
            last = mulMat("cpu" + i, cpu.weight("w" + i), last);
        }
        Graph alternating = Graph.of(last);
        Schedule full = Schedule.of(ScheduleRequest.of(alternating, devices, pipeline));
        Schedule lean = Schedule.of(
                ScheduleRequest.of(alternating, devices, pipeline.withPipelineCopies(PipelineCopies.WHERE_NEEDED)));

        assertThat(lean.splitCount()).isEqualTo(full.splitCount());
        assertThat(lean.inputCopyBytes()).isEqualTo(full.inputCopyBytes());
        assertThat(lean.plan().size()).isLessThan(full.plan().size() / 4);
        assertThat(PlanValidator.check(lean.plan())).isEmpty();
        assertThat(PlanValidator.check(full.plan())).isEmpty();
    }

    @Test
    void saysWhatItIsInShort() {
        assertThat(schedule).hasToString("Schedule[3 nodes over [gpu, cpu], 2 splits, 2 copies]");
    }
}
