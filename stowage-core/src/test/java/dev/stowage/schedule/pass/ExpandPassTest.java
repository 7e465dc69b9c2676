package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.Rule;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExpandPassTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice second = FakeDevice.called("second");

    private final Tensor x = leaf("x");
    private final Tensor a = node("a", x);
    private final Tensor b = node("b", a);
    private final Tensor c = node("c", Op.SQR, b);
    private final Tensor d = node("d", c);
    private final Tensor e = node("e", d);

    private TestTable chain() {
        return TestTable.over(gpu, second, cpu).computing(e);
    }

    @Test
    void carriesADeviceDown() {
        TestTable expanded = chain().with(a, second).expanded();

        assertThat(expanded.deviceOf(b)).contains(second);
        assertThat(expanded.deviceOf(e)).contains(second);
        assertThat(expanded.reasonOf(e).rule()).isEqualTo(Rule.CARRIED_DOWN);
        assertThat(expanded.reasonOf(e).because()).containsSame(a);
    }

    @Test
    void carriesADeviceUp() {
        TestTable expanded = chain().with(e, second).expanded();

        assertThat(expanded.deviceOf(a)).contains(second);
        assertThat(expanded.reasonOf(a).rule()).isEqualTo(Rule.CARRIED_UP);
        assertThat(expanded.reasonOf(a).because()).containsSame(e);
    }

    @Test
    void carriesDownBeforeUp() {
        TestTable expanded = chain().with(a, gpu).with(e, second).expanded();

        assertThat(expanded.deviceOf(b)).contains(gpu);
        assertThat(expanded.deviceOf(d)).contains(gpu);
    }

    @Test
    void carriesTheDeviceOfTheNearestNode() {
        TestTable expanded = chain().with(a, gpu).with(c, second).expanded();

        assertThat(expanded.deviceOf(b)).contains(gpu);
        assertThat(expanded.deviceOf(d)).contains(second);
    }

    @Test
    void prefersTheOthersUpwardsToTheLastDeviceDownwards() {
        TestTable expanded = chain().with(a, cpu).with(e, gpu).expanded();

        assertThat(expanded.deviceOf(b)).contains(gpu);
        assertThat(expanded.deviceOf(d)).contains(gpu);
    }

    @Test
    void stopsCarryingTheOthersAtANodeOnTheLastDevice() {
        TestTable expanded = chain().with(a, gpu).with(c, cpu).expanded();

        assertThat(expanded.deviceOf(b)).contains(gpu);
        assertThat(expanded.deviceOf(d)).contains(cpu);
        assertThat(expanded.deviceOf(e)).contains(cpu);
    }

    @Test
    void stopsCarryingTheOthersUpAtANodeOnTheLastDevice() {
        TestTable expanded = chain().with(c, cpu).with(e, gpu).expanded();

        assertThat(expanded.deviceOf(d)).contains(gpu);
        assertThat(expanded.deviceOf(a)).contains(cpu);
        assertThat(expanded.deviceOf(b)).contains(cpu);
    }

    @Test
    void carriesTheLastDeviceWhereNoOtherComes() {
        TestTable expanded = chain().with(c, cpu).expanded();

        assertThat(expanded.deviceOf(e)).contains(cpu);
        assertThat(expanded.reasonOf(e).rule()).isEqualTo(Rule.CARRIED_DOWN);
        assertThat(expanded.deviceOf(a)).contains(cpu);
        assertThat(expanded.reasonOf(a).rule()).isEqualTo(Rule.CARRIED_UP);
    }

    @Test
    void carriesTheLastDeviceDownBeforeItCarriesAnyUp() {
        gpu.refusing(Op.SQR);
        TestTable expanded = chain().with(a, cpu).with(b, cpu).with(d, gpu).expanded();

        assertThat(expanded.deviceOf(c)).contains(cpu);
        assertThat(expanded.reasonOf(c).rule()).isEqualTo(Rule.CARRIED_DOWN);
    }

    @Test
    void carriesOnAfterANodeThatTheDeviceCannotRun() {
        gpu.refusing(Op.SQR);

        TestTable expanded = chain().with(a, gpu).expanded();

        assertThat(expanded.deviceOf(c)).isEmpty();
        assertThat(expanded.deviceOf(d)).contains(gpu);
    }

    @Test
    void givesANodeToAnotherDeviceThatComesFromTheOtherSide() {
        gpu.refusing(Op.SQR);

        TestTable expanded = chain().with(a, gpu).with(d, second).expanded();

        assertThat(expanded.deviceOf(b)).contains(gpu);
        assertThat(expanded.deviceOf(c)).contains(second);
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"})
    void passesOverOpsThatOnlyGiveBytesAnotherForm(Op op) {
        Tensor form = view("form", op, a);
        Tensor reader = node("reader", form);

        TestTable expanded =
                TestTable.over(gpu, second, cpu).computing(reader).with(a, gpu).expanded();

        assertThat(expanded.deviceOf(form)).isEmpty();
        assertThat(expanded.deviceOf(reader)).contains(gpu);
    }

    @Test
    void isNotStoppedByAViewOnTheLastDevice() {
        Tensor form = view("form", a);
        Tensor reader = node("reader", form);

        TestTable expanded = TestTable.over(gpu, cpu)
                .computing(reader)
                .with(a, gpu)
                .with(form, cpu)
                .expanded();

        assertThat(expanded.deviceOf(reader)).contains(gpu);
    }

    @Test
    void movesNothingThatHasADevice() {
        TestTable expanded = chain().with(a, gpu).with(b, second).with(c, cpu).expanded();

        assertThat(expanded.deviceOf(b)).contains(second);
        assertThat(expanded.deviceOf(c)).contains(cpu);
        assertThat(expanded.reasonOf(c).rule()).isEqualTo(Rule.CALLER);
    }

    @Test
    void leavesLeavesAlone() {
        assertThat(chain().with(a, gpu).expanded().deviceOf(x)).isEmpty();
    }
}
