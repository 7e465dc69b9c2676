package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.bareView;
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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FillPassTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice second = FakeDevice.called("second");

    private final Tensor x = leaf("x");

    private TestTable.Over devices() {
        return TestTable.over(gpu, second, cpu);
    }

    @Nested
    class AView {

        @Test
        void isWhereItsSourceIs() {
            Tensor seen = view("seen", x);

            TestTable filled = devices().computing(seen).with(x, second).filled();

            assertThat(filled.deviceOf(seen)).contains(second);
            assertThat(filled.reasonOf(seen).rule()).isEqualTo(Rule.WITH_VIEW_SOURCE);
            assertThat(filled.reasonOf(seen).because()).containsSame(x);
        }

        @Test
        void thatIsALeafIsWhereItsSourceIsAndNotWhereItsReaderIs() {
            Tensor computed = node("computed", x);
            Tensor seen = bareView("seen", computed);
            Tensor reader = node("reader", seen);

            TestTable filled = devices()
                    .computing(computed, reader)
                    .with(computed, second)
                    .with(reader, gpu)
                    .filled();

            assertThat(filled.deviceOf(seen)).contains(second);
            assertThat(filled.reasonOf(seen).rule()).isEqualTo(Rule.WITH_VIEW_SOURCE);
        }

        @Test
        void thatHasADeviceStaysThere() {
            Tensor seen = view("seen", x);

            assertThat(devices()
                            .computing(seen)
                            .with(x, second)
                            .with(seen, cpu)
                            .filled()
                            .deviceOf(seen))
                    .contains(cpu);
        }
    }

    @Nested
    class ASource {

        @Test
        void isWhereItsReaderIs() {
            Tensor reader = node("reader", x);

            TestTable filled = devices().computing(reader).with(reader, second).filled();

            assertThat(filled.deviceOf(x)).contains(second);
            assertThat(filled.reasonOf(x).rule()).isEqualTo(Rule.WITH_READER);
            assertThat(filled.reasonOf(x).because()).containsSame(reader);
        }

        @Test
        void isWhereItsFirstReaderIs() {
            Tensor first = node("first", x);
            Tensor later = node("later", x);

            assertThat(devices()
                            .computing(first, later)
                            .with(first, second)
                            .with(later, gpu)
                            .filled()
                            .deviceOf(x))
                    .contains(second);
        }

        @Test
        void thatHasADeviceStaysThere() {
            Tensor reader = node("reader", x);

            assertThat(devices()
                            .computing(reader)
                            .with(reader, second)
                            .with(x, cpu)
                            .filled()
                            .deviceOf(x))
                    .contains(cpu);
        }

        @Test
        void fromOutsideIsWhereItsReaderIs() {
            Tensor outside = node("outside", x);
            Tensor reader = node("reader", outside);

            assertThat(devices()
                            .of(Graph.listed(List.of(reader), List.of()))
                            .with(reader, second)
                            .filled()
                            .deviceOf(outside))
                    .contains(second);
        }
    }

    @Nested
    class ANodeThatIsLeft {

        @Test
        void goesToTheFirstDeviceThatComputesIt() {
            gpu.refusing(Op.SQR);
            Tensor left = node("left", Op.SQR, x);

            TestTable filled = devices().computing(left).filled();

            assertThat(filled.deviceOf(left)).contains(second);
            assertThat(filled.reasonOf(left).rule()).isEqualTo(Rule.FIRST_ABLE);
        }

        @Test
        void followsItsSourceBeforeThat() {
            Tensor left = view("left", x);

            assertThat(devices().computing(left).with(x, cpu).filled().deviceOf(left))
                    .contains(cpu);
        }

        @Test
        void isAnErrorIfNoDeviceComputesIt() {
            gpu.refusing(Op.SQR);
            cpu.refusing(Op.SQR);
            Tensor impossible = node("impossible", Op.SQR, x);
            TestTable table = TestTable.over(gpu, cpu).computing(impossible);

            assertThatExceptionOfType(UnsupportedOpException.class)
                    .isThrownBy(table::filled)
                    .withMessageContainingAll("'impossible'", "SQR", "f32[16]", "'x'", "gpu", "cpu")
                    .satisfies(thrown -> {
                        assertThat(thrown.refusals())
                                .containsExactly(
                                        Map.entry("gpu", "gpu has no sqr"), Map.entry("cpu", "cpu has no sqr"));
                        assertThat(thrown.node()).contains("'impossible'");
                    });
        }
    }
}
