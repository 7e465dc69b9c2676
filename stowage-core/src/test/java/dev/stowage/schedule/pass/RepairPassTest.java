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

            TestTable mended =
                    devices().computing(reader).with(reader, second).filled().mended();

            assertThat(mended.deviceOf(x)).isEqualTo(mended.deviceOf(seen)).isPresent();
            assertThat(mended.reasonOf(x).rule()).isEqualTo(Rule.WITH_VIEW);
            assertThat(mended.reasonOf(x).because()).containsSame(seen);
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
                            .mended()
                            .deviceOf(x))
                    .contains(second);
        }

        @Test
        void isWhereTheReaderOfTheViewIsIfNoOpMakesTheView() {
            Tensor seen = bareView("seen", x);
            Tensor reader = node("reader", seen);

            TestTable mended =
                    devices().computing(reader).with(reader, second).filled().mended();

            assertThat(mended.deviceOf(x)).contains(second);
            assertThat(mended.deviceOf(seen)).contains(second);
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
            TestTable mended = writing().with(target, second).with(written, gpu).mended();

            assertThat(mended.deviceOf(written)).contains(second);
            assertThat(mended.reasonOf(written).rule()).isEqualTo(Rule.REACHES_RESULT);
            assertThat(mended.reasonOf(written).because()).containsSame(target);
        }

        @Test
        void movesOnlyWhereItsOpRuns() {
            second.refusing(Op.CPY);
            cpu.readingMemoryOf(second);

            assertThat(writing()
                            .with(target, second)
                            .with(written, gpu)
                            .mended()
                            .deviceOf(written))
                    .contains(cpu);
        }

        @Test
        void staysOnADeviceThatReachesIt() {
            cpu.readingMemoryOf(second);

            assertThat(writing()
                            .with(target, second)
                            .with(written, cpu)
                            .mended()
                            .deviceOf(written))
                    .contains(cpu);
        }

        @Test
        void isAnErrorIfNoDeviceReachesItAndRunsTheOp() {
            second.refusing(Op.CPY);
            TestTable table = writing().with(target, second).with(written, gpu);

            assertThatExceptionOfType(UnsupportedOpException.class)
                    .isThrownBy(table::mended)
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
                        .mended()
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
