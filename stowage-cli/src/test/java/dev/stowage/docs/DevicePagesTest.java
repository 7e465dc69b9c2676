package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The code of the pages about running graphs, scheduling and the processor, on a simulated accelerator and the processor. */
class DevicePagesTest {

    private static final int LENGTH = 4;

    private final DeviceRegistry registry = DeviceRegistry.load();
    private final Device gpu = SimulatedDevice.named("gpu").type(DeviceType.GPU).build();
    private final Device cpu = registry.device("cpu");
    private final Backend gpuBackend = gpu.open();
    private final Backend cpuBackend = cpu.open();

    private final GraphBuilder weightBuilder = new GraphBuilder();
    private final Tensor weight = weightBuilder.weight("weight", ElementType.F32, LENGTH);
    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor x = ops.input("x", ElementType.F32, LENGTH);
    private final Tensor y = ops.mul(x, weight).named("y").asOutput();
    private final Graph graph = ops.build(y);
    private final Buffer weights = Allocations.allocateAll(weightBuilder, gpu.bufferType());

    @BeforeEach
    void writeWeights() {
        TensorData.setFloats(weight, 1, 2, 3, 4);
    }

    @AfterEach
    void close() {
        weights.close();
        gpuBackend.close();
        cpuBackend.close();
    }

    @Test
    void theProgramPrintsWhatThePageSays() {
        String printed = Printed.by(() -> TwoLayers.main(new String[0]));

        assertThat(printed.lines())
                .hasSize(3)
                .endsWith("[1.0, 20.0]", "[2.0, 40.0]")
                .first()
                .asString()
                .endsWith(" bytes of weights");
    }

    private static void list(DeviceRegistry registry) {
        registry.devices().forEach(device -> System.out.println(device.name() + ": " + device.description()));
        registry.providers().stream()
                .filter(provider -> !provider.availability().isAvailable())
                .forEach(provider -> System.out.println(
                        provider.name() + ": " + provider.availability().reason()));
    }

    @Test
    void theRegistryListsDevices() {
        assertThat(Printed.by(() -> list(registry))).contains("cpu: ").contains("reference: ");
    }

    private float[] runOnSeveral(float[] input) {
        try (Scheduler scheduler = Scheduler.over(List.of(gpuBackend, cpuBackend))) { // in order of priority
            BoundSchedule bound = scheduler.bind(graph);
            TensorData.setFloats(bound.tensor(x), input);
            bound.run();
            return TensorData.getFloats(bound.tensor(y));
        }
    }

    @Test
    void aGraphRunsOnSeveralDevices() {
        assertThat(runOnSeveral(new float[] {1, 1, 2, 2})).containsExactly(1, 2, 6, 8);
    }

    private MemorySegment runPipelined(List<float[]> inputs, MemorySegment results) {
        ScheduleOptions options = ScheduleOptions.defaults().withPipeline(2);
        try (Scheduler scheduler = Scheduler.over(List.of(gpuBackend, cpuBackend), options)) {
            BoundSchedule bound = scheduler.bind(graph);
            for (int i = 0; i < inputs.size(); i++) {
                bound.advance(); // the next slot; waits only for the run that used it before
                TensorData.setFloats(bound.tensor(x), inputs.get(i));
                bound.runAsync();
                MemorySegment result = results.asSlice(i * y.byteSize(), y.byteSize());
                bound.backendOf(y).getAsync(bound.tensor(y), 0, result);
            }
            scheduler.synchronize(); // all results are there now
            return results;
        }
    }

    @Test
    void everyRunOfAPipelineHasItsResult() {
        List<float[]> inputs = List.of(new float[] {1, 1, 1, 1}, new float[] {2, 2, 2, 2}, new float[] {3, 3, 3, 3});
        try (Arena arena = Arena.ofShared()) {
            MemorySegment results = runPipelined(inputs, arena.allocate(inputs.size() * y.byteSize(), Long.BYTES));
            assertThat(results.toArray(ValueLayout.JAVA_FLOAT)).containsExactly(1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12);
        }
    }

    private void look(Tensor tensor, PrintStream out) {
        DeviceSet devices = DeviceSet.of(gpu, cpu); // in order of priority
        ScheduleOptions options = ScheduleOptions.defaults().withPipeline(4);
        Schedule schedule = Schedule.of(ScheduleRequest.of(graph, devices, options));
        out.println(schedule.splitCount() + " splits");
        out.println(schedule.computeSize(0) + " bytes on " + devices.name(0));
        out.println(schedule.inputCopyBytes() + " bytes copied per run");
        out.println(schedule.reasonOf(tensor)); // the pass, the rule, the tensor that decided
    }

    @Test
    void aScheduleIsData() {
        assertThat(Printed.to(out -> look(y, out)))
                .contains(" splits")
                .contains(" bytes on gpu")
                .contains(" bytes copied per run")
                .contains("'weight'");
    }

    private float[] runReserved(Graph largestGraph, ScheduleOptions options, float[] input) {
        try (Scheduler scheduler = Scheduler.over(List.of(gpuBackend, cpuBackend), options)) {
            scheduler.reserve(largestGraph); // optional: allocates the memory of the worst case once
            BoundSchedule bound = scheduler.bind(graph); // every tensor has a buffer and an offset
            TensorData.setFloats(bound.tensor(x), input);
            bound.run();
            return TensorData.getFloats(bound.tensor(y));
        }
    }

    @Test
    void aReservedScheduleRuns() {
        assertThat(runReserved(graph, ScheduleOptions.defaults(), new float[] {1, 1, 1, 1}))
                .containsExactly(1, 2, 3, 4);
    }

    private static ScheduleOptions byCost() {
        CostModel costs = CostModel.builder()
                .device("gpu", OpRate.of(40e12, 800e9)) // operations and bytes per second
                .device("cpu", OpRate.of(0.5e12, 50e9))
                .link("gpu", "cpu", LinkRate.of(16e9))
                .build();
        return ScheduleOptions.defaults().withPlacement(Placement.cost(costs));
    }

    @Test
    void placementByCostComputesTheSame() {
        assertThat(runReserved(graph, byCost(), new float[] {1, 1, 1, 1})).containsExactly(1, 2, 3, 4);
    }

    private static Backend withoutFusion(Device device) {
        return device.open(BackendOptions.defaults().withSettings(Map.of("without-fusions", "rope-set-rows")));
    }

    @Test
    void fusionsCanBeSwitchedOff() {
        try (Backend backend = withoutFusion(cpu)) {
            assertThat(backend.isClosed()).isFalse();
        }
    }
}
