package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.NodeObserver;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeObserverTest {

    private final SimulatedDevice gpuDevice = SimulatedDevice.named("gpu").build();
    private final SimulatedDevice cpuDevice = SimulatedDevice.named("cpu")
            .type(DeviceType.CPU)
            .hostMemory()
            .async(false)
            .build();
    private final Backend gpu = gpuDevice.open();
    private final Backend cpu = cpuDevice.open();
    private final Chain chain = Chain.of(gpu, cpu, gpu);
    private final Scheduler scheduler = Scheduler.over(List.of(gpu, cpu));
    private final BoundSchedule bound = scheduler.bind(chain.graph());
    private final List<String> asked = new ArrayList<>();
    private final List<String> shown = new ArrayList<>();

    /** Wants nodes whose names begin so, and stops at one of that name. */
    private NodeObserver observer(String prefix, String stopAt) {
        return new NodeObserver() {
            @Override
            public boolean wants(Tensor node) {
                asked.add(node.name());
                return node.name().startsWith(prefix);
            }

            @Override
            public boolean show(BoundTensor node) {
                shown.add(node.tensor().name());
                return !node.tensor().name().equals(stopAt);
            }
        };
    }

    @BeforeEach
    void write() {
        chain.writeWeights();
        TensorData.setFloats(bound.tensor(chain.x()), 1, 2, 3, 4);
    }

    @AfterEach
    void closeAll() {
        scheduler.close();
        gpu.close();
        cpu.close();
        chain.close();
    }

    @Test
    void isAskedAboutEveryNodeOnceInOrder() {
        scheduler.observe(observer("none", ""));
        bound.run();
        assertThat(asked).containsExactly("product0", "silu0", "product1", "silu1", "product2", "silu2");
        assertThat(shown).isEmpty();
    }

    @Test
    void isShownWhatItWantsOnceItIsComputed() {
        List<float[]> seen = new ArrayList<>();
        scheduler.observe(new NodeObserver() {
            @Override
            public boolean wants(Tensor node) {
                return node.equals(chain.y());
            }

            @Override
            public boolean show(BoundTensor node) {
                seen.add(TensorData.getFloats(node));
                return true;
            }
        });
        bound.run();
        assertThat(seen).singleElement().isEqualTo(TensorData.getFloats(bound.tensor(chain.y())));
    }

    @Test
    void changesNothingAboutTheResult() {
        bound.run();
        float[] expected = TensorData.getFloats(bound.tensor(chain.y()));
        scheduler.observe(observer("silu", ""));
        TensorData.setFloats(bound.tensor(chain.x()), 1, 2, 3, 4);
        bound.run();
        assertThat(shown).containsExactly("silu0", "silu1", "silu2");
        assertThat(TensorData.getFloats(bound.tensor(chain.y()))).containsExactly(expected);
    }

    @Test
    void endsTheRunWhenItWantsNoMore() {
        scheduler.observe(observer("product", "product1"));
        long before = computed();
        bound.run();
        assertThat(shown).containsExactly("product0", "product1");
        assertThat(asked).doesNotContain("product2", "silu2");
        assertThat(computed() - before).isEqualTo(3);
    }

    private long computed() {
        return gpuDevice.faults().calls(CallKind.COMPUTE) + cpuDevice.faults().calls(CallKind.COMPUTE);
    }

    @Test
    void isLeftAloneOnceThatIsRequested() {
        scheduler.observe(observer("", ""));
        scheduler.stopObserving();
        bound.run();
        assertThat(asked).isEmpty();
    }

    @Test
    void anObserverCannotStartAnotherRunOfTheScheduler() {
        List<AccessException> refusals = new ArrayList<>();
        scheduler.observe(new NodeObserver() {
            @Override
            public boolean wants(Tensor node) {
                return true;
            }

            @Override
            public boolean show(BoundTensor node) {
                shown.add(node.tensor().name());
                try {
                    bound.run();
                } catch (AccessException e) {
                    refusals.add(e);
                }
                return true;
            }
        });
        bound.run();

        assertThat(shown).containsExactly("product0", "silu0", "product1", "silu1", "product2", "silu2");
        assertThat(refusals).hasSize(6);
    }
}
