package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.picture.PlanPicture;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.BudgetFit;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.PlanViolation;
import dev.stowage.plan.Planner;
import dev.stowage.plan.TightOptions;
import dev.stowage.plan.order.Reordering;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of the page about planning, on a graph whose plan is known. */
class PlanningPageTest {

    private static final int LENGTH = 16;

    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor x = ops.input("x", ElementType.F32, LENGTH);
    private final Tensor left = ops.sqr(x);
    private final Tensor right = ops.sqrt(x);
    private final Tensor y = ops.add(left, right).named("y").asOutput();
    private final Graph graph = ops.build(y);
    private final BufferType type = HostBufferType.standard();
    private final PlanRequest request = PlanRequest.of(graph, type);

    private static long measure(Graph graph) {
        MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(graph, HostBufferType.standard()));
        long bytes = plan.size();
        return bytes;
    }

    @Test
    void measuringAllocatesNothing() {
        try (GraphAllocator allocator = GraphAllocator.on(type)) {
            allocator.bind(graph);
            assertThat(measure(graph)).isEqualTo(allocator.size());
        }
    }

    private static void measureAll(GraphBuilder weightBuilder, Graph graph) {
        MeasuringBufferType gpu = MeasuringBufferType.of("gpu", 256).withMaxBufferSize(4L << 30);
        try (Buffer weights = Allocations.allocateAll(weightBuilder, gpu)) { // counts bytes, allocates none
            MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(graph, gpu));
            System.out.println(weights.size() + plan.size());
        }
    }

    @Test
    void weightsAreCountedToo() {
        GraphBuilder weightBuilder = new GraphBuilder();
        Tensor weight = weightBuilder.weight("weight", ElementType.F32, 1 << 20);
        GraphBuilder small = new GraphBuilder();
        Graph reading = small.build(small.sqr(small.view1d(weight, LENGTH, 0)).asOutput());

        assertThat(Long.parseLong(
                        Printed.by(() -> measureAll(weightBuilder, reading)).strip()))
                .isGreaterThan(4L << 20);
    }

    private void runOften(Graph largestGraph, Backend backend, List<float[]> inputs) {
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            allocator.reserve(largestGraph); // optional: allocates the memory of the worst case once
            for (float[] input : inputs) {
                BoundGraph bound = allocator.bind(graph); // a buffer and an offset for every tensor
                TensorData.setFloats(bound.tensor(x), input);
                backend.compute(bound);
                float[] result = TensorData.getFloats(bound.tensor(y));
                System.out.println(result[0]);
            }
        }
    }

    @Test
    void aBoundGraphRuns() {
        try (Backend backend = DeviceRegistry.load().device("cpu").open()) {
            float[] fours = new float[LENGTH];
            fours[0] = 4;
            assertThat(Printed.by(() -> runOften(graph, backend, List.of(fours, fours)))
                            .lines())
                    .containsExactly("18.0", "18.0");
        }
    }

    private static BoundGraph bindToTwo(
            BufferType gpuType, BufferType hostType, Graph graph, int[] nodeBuffers, int[] leafBuffers) {
        GraphAllocator allocator = GraphAllocator.on(gpuType, hostType);
        allocator.reserve(graph, nodeBuffers, leafBuffers); // an index into the types for each node and leaf
        BoundGraph bound = allocator.bind(graph);
        return bound;
    }

    @Test
    void nodesAreStoredInTheMemoryAskedFor() {
        BufferType other = HostBufferType.standard().withName("other");
        BoundGraph bound = bindToTwo(other, type, graph, new int[graph.nodeCount()], new int[] {1});

        assertThat(bound.tensor(y).buffer().type().name()).isEqualTo("other");
        assertThat(bound.tensor(x).buffer().type()).isEqualTo(type);
    }

    private static List<MemoryPlan> planTightly(PlanRequest request, BufferType type, Graph graph) {
        MemoryPlan plan = Planner.tight().plan(request);
        GraphAllocator allocator = GraphAllocator.on(List.of(type), Planner.named("tight"));
        return List.of(plan, allocator.measure(graph));
    }

    @Test
    void tightPlansAreNoLarger() {
        assertThat(planTightly(request, type, graph))
                .allSatisfy(plan ->
                        assertThat(PlanValidator.requireValid(plan).size()).isLessThanOrEqualTo(measure(graph)));
    }

    private static List<PlanViolation> planByRules(PlanRequest request) {
        InPlaceRules rules = InPlaceRules.kernels().without(Op.GLU); // or InPlaceRules.ggml()
        MemoryPlan plan =
                Planner.tight(TightOptions.standard().withInPlace(rules)).plan(request);
        List<PlanViolation> violations = PlanValidator.check(plan, rules); // empty: the plan keeps to the rules
        return violations;
    }

    @Test
    void plansKeepToTheRules() {
        assertThat(planByRules(request)).isEmpty();
    }

    private static Graph reorder(Graph graph) {
        Graph reordered = graph.inOrder(1, 0, 2); // checked: a node may not run before the nodes it reads
        return reordered;
    }

    private static void saveMemory(Graph graph, BufferType type, GraphAllocator allocator) {
        Reordering better = Reordering.of(PlanRequest.of(graph, type), Planner.tight());
        System.out.println(better.saved() + " bytes saved"); // 0 where there is nothing to gain
        allocator.bind(better.graph());
    }

    @Test
    void nodesChangePlaces() {
        assertThat(reorder(graph).node(0)).isSameAs(right);
        try (GraphAllocator allocator = GraphAllocator.on(type)) {
            assertThat(Printed.by(() -> saveMemory(graph, type, allocator))).startsWith("0 bytes saved");
        }
    }

    private static void fit(MemoryPlan plan) {
        BudgetFit fit = plan.fitInto(512L << 20);
        System.out.println(fit.answer()); // FITS, DOES_NOT_FIT, or CANNOT_FIT: no plan could, in this order
        System.out.println(fit.missing()); // bytes
        System.out.println(fit.deciding()); // the tensors that are live where the most is
    }

    @Test
    void itFits() {
        MemoryPlan plan = Planner.ggml().plan(request);
        assertThat(Printed.by(() -> fit(plan))).startsWith("FITS" + System.lineSeparator() + "0");
    }

    private static void draw(MemoryPlan plan, Path folder) throws IOException {
        Files.writeString(folder.resolve("plan.svg"), PlanPicture.svg(plan));
        Files.writeString(folder.resolve("plan.html"), PlanPicture.html(plan, "llama-3-8b, 512 tokens"));
    }

    @Test
    void aPlanIsDrawn(@TempDir Path folder) throws IOException {
        draw(Planner.ggml().plan(request), folder);
        assertThat(folder.resolve("plan.svg")).content().startsWith("<svg");
        assertThat(folder.resolve("plan.html")).content().contains("llama-3-8b, 512 tokens");
    }

    private static MemoryPlan saveAndLoad(MemoryPlan plan, PlanRequest request, GraphAllocator allocator) {
        String json = plan.toJson();
        MemoryPlan loaded = MemoryPlan.fromJson(json, request);
        allocator.reserve(loaded); // no planning
        return loaded;
    }

    @Test
    void aSavedPlanServesAgain() {
        MemoryPlan plan = Planner.ggml().plan(request);
        try (GraphAllocator allocator = GraphAllocator.on(type)) {
            assertThat(saveAndLoad(plan, request, allocator)).isEqualTo(plan);
        }
    }
}
