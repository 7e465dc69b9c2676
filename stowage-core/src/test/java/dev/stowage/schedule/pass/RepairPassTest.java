package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.bareView;
import static dev.stowage.schedule.Tensors.copyInto;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.Rule;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RepairPassTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice second = FakeDevice.called("second");

    private final Tensor x = leaf("x");

    private TestTable.Over devices() {
        return TestTable.over(gpu, second, cpu);
    }

    @Nested
    class ALeafReachedOnlyThroughAView {

        @Test
        void isWhereTheViewIs() {
            Tensor seen = view("seen", x);
            Tensor reader = node("reader", seen);

            TestTable repaired =
                    devices().computing(reader).with(reader, second).filled().repaired();

            assertThat(repaired.deviceOf(x)).isEqualTo(repaired.deviceOf(seen)).isPresent();
            assertThat(repaired.reasonOf(x).rule()).isEqualTo(Rule.WITH_VIEW);
            assertThat(repaired.reasonOf(x).because()).containsSame(seen);
        }

        @Test
        void isWhereItsReaderIsIfOneReadsItLater() {
            Tensor seen = view("seen", x);
            Tensor reader = node("reader", seen);
            Tensor direct = node("direct", x);

            assertThat(devices()
                            .computing(reader, direct)
                            .with(reader, gpu)
                            .with(direct, second)
                            .filled()
                            .repaired()
                            .deviceOf(x))
                    .contains(second);
        }

        @Test
        void isWhereTheReaderOfTheViewIsIfNoOpMakesTheView() {
            Tensor seen = bareView("seen", x);
            Tensor reader = node("reader", seen);

            TestTable repaired =
                    devices().computing(reader).with(reader, second).filled().repaired();

            assertThat(repaired.deviceOf(x)).contains(second);
            assertThat(repaired.deviceOf(seen)).contains(second);
        }
    }

    @Nested
    class ANodeThatWritesIntoAnotherTensor {

        private final Tensor target = leaf("target");
        private final Tensor written = copyInto("written", x, target);

        private TestTable writing() {
            return devices().computing(written).with(x, gpu);
        }

        @Test
        void movesToTheFirstDeviceThatReachesIt() {
            TestTable repaired =
                    writing().with(target, second).with(written, gpu).repaired();

            assertThat(repaired.deviceOf(written)).contains(second);
            assertThat(repaired.reasonOf(written).rule()).isEqualTo(Rule.REACHES_RESULT);
            assertThat(repaired.reasonOf(written).because()).containsSame(target);
        }

        @Test
        void movesOnlyWhereItsOpRuns() {
            second.refusing(Op.CPY);
            cpu.readingMemoryOf(second);

            assertThat(writing()
                            .with(target, second)
                            .with(written, gpu)
                            .repaired()
                            .deviceOf(written))
                    .contains(cpu);
        }

        @Test
        void staysOnADeviceThatReachesIt() {
            cpu.readingMemoryOf(second);

            assertThat(writing()
                            .with(target, second)
                            .with(written, cpu)
                            .repaired()
                            .deviceOf(written))
                    .contains(cpu);
        }

        @Test
        void isAnErrorIfNoDeviceReachesItAndRunsTheOp() {
            second.refusing(Op.CPY);
            TestTable table = writing().with(target, second).with(written, gpu);

            assertThatExceptionOfType(UnsupportedOpException.class)
                    .isThrownBy(table::repaired)
                    .withMessageContainingAll("'written'", "second memory", "second has no cpy");
        }
    }

    @Test
    void leavesViewsWhereTheyAreThoughTheirSourceIsElsewhere() {
        Tensor seen = view("seen", x);

        assertThat(devices()
                        .computing(seen)
                        .with(x, cpu)
                        .with(seen, gpu)
                        .repaired()
                        .deviceOf(seen))
                .contains(gpu);
    }

    @Test
    void leavesNothingWithoutADevice() {
        Tensor unread = leaf("unread");
        Tensor unreadView = bareView("unread view", leaf("unread source"));
        Graph graph = Graph.of(node("n", x), unread, unreadView);

        TestTable placed = devices().of(graph).placed();

        assertThat(graph.leaves()).contains(unread, unreadView);
        for (int id = 0; id < graph.size(); id++) {
            assertThat(placed.deviceOf(graph.tensor(id))).as(graph.label(id)).isPresent();
        }
    }
}
