package dev.stowage.schedule.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.Tensors;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import org.junit.jupiter.api.Test;

/** Time on two accelerators, 0 and 1, that work on by themselves, and a processor, 2, that does not. */
class DeviceTimelineTest {

    private static final OpRate FREE = new OpRate(0, 0, 0);

    private final DeviceSet devices = DeviceSet.of(
            FakeDevice.called("gpu0").having(Capability.ASYNC),
            FakeDevice.called("gpu1").having(Capability.ASYNC),
            FakeDevice.called("cpu"));
    private final CostModel model = CostModel.builder()
            .device("gpu0", FREE)
            .device("gpu1", FREE)
            .device("cpu", FREE)
            .link("gpu0", "cpu", LinkRate.of(1e9))
            .link("gpu1", "cpu", LinkRate.of(1e9))
            .build();
    private final DeviceTimeline time =
            new DeviceTimeline(new CostSheet(Graph.of(Tensors.node("n", Tensors.leaf("x"))), devices, model));

    @Test
    void acceleratorsWorkSideBySide() {
        time.work(0, 100);
        time.work(1, 70);

        assertThat(time.host()).isZero();
        assertThat(time.end()).isEqualTo(100);
    }

    @Test
    void theHostWaitsForAProcessor() {
        time.work(2, 40);
        time.work(0, 100);

        assertThat(time.host()).isEqualTo(40);
        assertThat(time.end()).isEqualTo(140);
    }

    @Test
    void workBeginsWhenItIsSubmitted() {
        time.hostWorks(30);
        time.work(0, 100);

        assertThat(time.stream(0)).isEqualTo(130);
    }

    @Test
    void waitingBringsTheHostToWhereADeviceIs() {
        time.work(0, 100);
        time.work(1, 70);
        time.waitFor(1);

        assertThat(time.host()).isEqualTo(70);
    }

    @Test
    void aMarkStaysWhereItWasPut() {
        time.work(0, 100);
        long mark = time.mark(0);
        time.work(0, 100);
        time.await(1, mark);
        time.work(1, 10);

        assertThat(time.stream(1)).isEqualTo(110);
    }

    @Test
    void aCopyTakesTheTimeOfBothStreams() {
        time.work(0, 100);
        time.copy(0, 1, 20);
        time.work(0, 5);

        assertThat(time.stream(1)).isEqualTo(120);
        assertThat(time.stream(0)).isEqualTo(125);
        assertThat(time.host()).isZero();
    }
}
