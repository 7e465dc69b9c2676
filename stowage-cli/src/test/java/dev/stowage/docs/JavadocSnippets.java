package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.plan.order.Reordering;
import dev.stowage.profile.RunProfile;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.schedule.cost.Calibration;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.ConformanceReport;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.RaceDetector;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.SimulatedClock;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * The code that is written out in the documentation of classes, so that it compiles; {@link JavadocSnippetTest} runs it and
 * compares it with the documentation. Parameters are what an example takes as given.
 */
@SuppressWarnings({"UnusedVariable", "try"}) // an example shows what there is, and leaves its use to the reader
final class JavadocSnippets {

    private JavadocSnippets() {}

    static Graph graphBuilder() {
        GraphBuilder b = new GraphBuilder();
        Tensor w = b.weight("w", ElementType.Q8_0, 4096, 11008);
        Tensor x = b.input("x", ElementType.F32, 4096, 512);
        Tensor y = b.silu(b.mulMat(w, x)).asOutput();
        Graph graph = b.build(y);
        return graph;
    }

    static void memory(Tensor elsewhere) {
        Tensor weights = Tensor.leaf(Layout.contiguous(ElementType.F32, 2, 3)).named("weights");
        Tensor tokens = Tensor.leaf(Layout.contiguous(ElementType.I32, 4)).named("tokens");

        try (Buffer buffer = Allocations.allocateAll(List.of(weights, tokens), HostBufferType.standard())) {
            TensorData.setFloats(weights, 1, 2, 3, 4, 5, 6);
            TensorData.setInts(tokens, 7, 8, 9, 10);

            float[] read = TensorData.getFloats(weights);
            Buffer.copy(weights, elsewhere); // into any other buffer, of any kind
        }
    }

    static void graphAllocator(Graph largestGraph, Graph graph) {
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            allocator.reserve(largestGraph); // optional: allocate for the worst case once
            BoundGraph bound = allocator.bind(graph); // every tensor has a place in the allocator's buffers
        }
    }

    static long reordering(Graph graph, BufferType type, GraphAllocator allocator) {
        Reordering better = Reordering.of(PlanRequest.of(graph, type), Planner.tight());
        long saved = better.saved();
        allocator.bind(better.graph());
        return saved;
    }

    static float[] boundGraph(GraphAllocator allocator, Graph graph, Tensor x, Tensor y, Backend backend) {
        BoundGraph bound = allocator.bind(graph);
        TensorData.setFloats(bound.tensor(x), 1, 2, 3);
        backend.compute(bound);
        float[] result = TensorData.getFloats(bound.tensor(y));
        return result;
    }

    static void backend(
            GraphAllocator allocator,
            Graph graph,
            Device device,
            Tensor x,
            Tensor y,
            MemorySegment input,
            MemorySegment output) {
        BoundGraph bound = allocator.bind(graph);
        try (Backend backend = device.open()) {
            backend.setAsync(bound.tensor(x), 0, input);
            backend.computeAsync(bound);
            backend.getAsync(bound.tensor(y), 0, output);
            backend.synchronize(); // only now may input be changed and output be read
        }
    }

    static long schedule(Graph graph, Device gpu, Device cpu) {
        Schedule schedule = Schedule.of(ScheduleRequest.of(graph, DeviceSet.of(gpu, cpu)));
        System.out.println(schedule.explain());
        long needed = schedule.computeSize(0);
        return needed;
    }

    static void scheduler(Backend gpu, Backend cpu, Graph largestGraph, Graph graph) {
        try (Scheduler scheduler = Scheduler.over(List.of(gpu, cpu))) {
            scheduler.reserve(largestGraph); // optional: allocate for the worst case once
            BoundSchedule bound = scheduler.bind(graph); // every tensor has a place now
            // write the inputs: bound.tensor(x)
            bound.run();
            // read the outputs: bound.tensor(y)
        }
    }

    static float[] boundSchedule(Scheduler scheduler, Graph graph, Tensor x, Tensor y) {
        BoundSchedule bound = scheduler.bind(graph);
        TensorData.setFloats(bound.tensor(x), 1, 2, 3);
        bound.run();
        float[] result = TensorData.getFloats(bound.tensor(y));
        return result;
    }

    static ScheduleOptions costModel() {
        CostModel costs = CostModel.builder()
                .device("gpu0", OpRate.of(20e12, 1e12).withNanosPerNode(3000))
                .device("cpu", OpRate.of(0.5e12, 50e9))
                .link("gpu0", "cpu", LinkRate.of(12e9).withLatencyNanos(10_000))
                .build();
        ScheduleOptions options = ScheduleOptions.defaults().withPlacement(Placement.cost(costs));
        return options;
    }

    /** Not run: it measures for seconds. */
    static CostModel calibration(Backend gpu, Backend cpu) {
        CostModel costs = Calibration.of(List.of(gpu, cpu))
                .withBudget(Duration.ofSeconds(5))
                .run();
        return costs;
    }

    static void profile(Device device, Graph graph) {
        RunProfile profile = new RunProfile();
        try (Backend backend = device.open(BackendOptions.defaults().withListener(profile));
                Scheduler scheduler = Scheduler.over(List.of(backend))) {
            scheduler.listen(profile);
            scheduler.bind(graph).run();
            System.out.print(profile.text());
        }
    }

    static String json() {
        StringBuilder text = new StringBuilder();
        JsonWriter.compact(text)
                .beginObject()
                .name("bytes")
                .value(4096)
                .endObject()
                .finish();
        return text.toString();
    }

    static void blockFormat(Arena arena, float[] weights) {
        BlockFormat format = BlockFormat.of(ElementType.Q4_K);
        MemorySegment row = arena.allocate(format.type().rowBytes(weights.length));
        format.quantize(weights, 0, weights.length, row, 0);
        format.dequantize(row, 0, weights, 0, weights.length); // the weights again, rounded to what q4_K can say
    }

    static void accessLog() {
        AccessLog log = new AccessLog();
        SimulatedDevice gpu = SimulatedDevice.named("gpu").accesses(log).build();
        // use the device
        assertThat(RaceDetector.races(log)).isEmpty();
    }

    /** Not run: the suite has tests of its own, which run it on every device there is. */
    static void conformance(Device device) {
        ConformanceReport report = BackendConformance.of(device).run();
        System.out.print(report.text());
    }

    static long clock(SimulatedClock clock, Backend backend, BoundGraph graph) {
        long before = clock.nanos();
        backend.compute(graph);
        long took = clock.nanos() - before;
        return took;
    }

    static void faults(SimulatedDevice device, Thread caller) {
        device.faults().fail(CallKind.COMPUTE, 3, FaultKind.FAILURE); // the third node from now on
        device.faults().failAny(17, FaultKind.HANG).onHang(caller::interrupt);
    }

    static SimulatedDevice simulatedDevice() {
        SimulatedDevice gpu =
                SimulatedDevice.named("gpu0").memoryLimit(1L << 20).build();
        gpu.faults().fail(CallKind.COMPUTE, 2, FaultKind.FAILURE);
        return gpu;
    }
}
