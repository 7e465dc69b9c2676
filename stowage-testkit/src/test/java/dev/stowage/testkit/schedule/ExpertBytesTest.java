package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.profile.RunProfile;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A multiplication by experts' matrices in host memory that an accelerator takes over: what crosses is counted. */
class ExpertBytesTest {

    private static final int WIDTH = 16;
    private static final int EXPERTS = 8;
    private static final long EXPERT_BYTES = (long) WIDTH * WIDTH * Float.BYTES;

    /** Kernels may read so far beyond the last expert they use. */
    private static final long READ_AHEAD = 512;

    private final AtomicLong crossed = new AtomicLong();
    private final SimulatedDevice gpu = SimulatedDevice.named("gpu")
            .offloading(EnumSet.of(Op.MUL_MAT_ID))
            .delays(work -> {
                boolean isWeight = work.kind() == CallKind.SET
                        && work.tensor().map(Tensor::name).orElse("").startsWith("gpu#experts");
                crossed.addAndGet(isWeight ? work.bytes() : 0);
            })
            .build();
    private final SimulatedDevice cpu = SimulatedDevice.named("cpu")
            .type(DeviceType.CPU)
            .sharing(HostBufferType.standard())
            .async(false)
            .build();

    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor experts = ops.weight("experts", ElementType.F32, WIDTH, WIDTH, EXPERTS);
    private final Tensor x = ops.input("x", ElementType.F32, WIDTH, 1, 2);
    private final Tensor choice = ops.input("choice", ElementType.I32, 1, 2);
    private final Tensor y = ops.mulMatId(experts, x, choice).named("y").asOutput();
    private final Graph graph = ops.build(y);
    private final Buffer weights =
            Allocations.allocateAll(List.of(experts), HostBufferType.standard()).setUsage(BufferUsage.WEIGHTS);
    private final Backend onGpu = gpu.open();
    private final Backend onCpu = cpu.open();
    private final Scheduler scheduler =
            Scheduler.over(List.of(onGpu, onCpu), ScheduleOptions.defaults().withOffloadedOps(true));
    private final BoundSchedule bound = scheduler.bind(graph);

    @BeforeEach
    void write() {
        TensorData.setFloats(experts, floats(WIDTH * WIDTH * EXPERTS));
    }

    @AfterEach
    void closeAll() {
        scheduler.close();
        onGpu.close();
        onCpu.close();
        weights.close();
    }

    private static float[] floats(int count) {
        Random random = new Random(7);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    private long bytesFor(int... chosen) {
        TensorData.setFloats(bound.tensor(x), floats(2 * WIDTH));
        TensorData.setInts(bound.tensor(choice), chosen);
        crossed.set(0);
        bound.run();
        return crossed.get();
    }

    @Test
    void theAcceleratorTakesIt() {
        assertThat(bound.backendOf(y)).isEqualTo(onGpu);
    }

    @Test
    void aListenerIsNotifiedOfTheBytesThatAreCopied() {
        RunProfile profile = new RunProfile();
        scheduler.listen(profile);
        long experts = bytesFor(1, 4);
        assertThat(profile.splits()).singleElement().satisfies(split -> {
            assertThat(split.copies()).isEqualTo(3);
            assertThat(split.copiedBytes()).isEqualTo(experts + x.byteSize() + choice.byteSize());
        });
    }

    @Test
    void expertsThatAreApartCrossOneByOne() {
        assertThat(bytesFor(1, 4)).isEqualTo(2 * (EXPERT_BYTES + READ_AHEAD));
    }

    @Test
    void neighboursCrossTogether() {
        assertThat(bytesFor(4, 3)).isEqualTo(2 * EXPERT_BYTES + READ_AHEAD);
    }

    @Test
    void anExpertThatIsChosenTwiceCrossesOnce() {
        assertThat(bytesFor(2, 2)).isEqualTo(EXPERT_BYTES + READ_AHEAD);
    }

    @Test
    void nothingIsReadBeyondTheLastExpert() {
        assertThat(bytesFor(EXPERTS - 1, EXPERTS - 1)).isEqualTo(EXPERT_BYTES);
    }

    @Test
    void everyRunMakesItsOwnChoice() {
        bytesFor(0, 1);
        float[] before = TensorData.getFloats(bound.tensor(y));
        assertThat(bytesFor(6, 7)).isEqualTo(2 * EXPERT_BYTES);
        assertThat(TensorData.getFloats(bound.tensor(y))).isNotEqualTo(before);
    }

    @Test
    void theRightExpertsAreUsed() {
        bytesFor(6, 1);
        float[] found = TensorData.getFloats(bound.tensor(y));
        float[] matrices = TensorData.getFloats(experts);
        float[] columns = floats(2 * WIDTH);
        for (int row = 0; row < 2; row++) {
            int expert = row == 0 ? 6 : 1;
            for (int i = 0; i < WIDTH; i++) {
                double sum = 0;
                for (int k = 0; k < WIDTH; k++) {
                    sum += (double) matrices[(expert * WIDTH + i) * WIDTH + k] * columns[row * WIDTH + k];
                }
                assertThat((double) found[row * WIDTH + i]).isCloseTo(sum, within(1e-5));
            }
        }
    }
}
