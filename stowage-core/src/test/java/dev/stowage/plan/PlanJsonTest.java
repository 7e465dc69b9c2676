package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanJsonTest {

    private final Graph graph = graph(64);
    private final PlanRequest request = PlanRequest.of(graph, HostBufferType.standard());
    private final String json = Planner.ggml().plan(request).toJson();

    private static Graph graph(long width) {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, width);
        return b.build(b.sqr(b.add(x, b.norm(x, 1e-5f))).named("y").asOutput());
    }

    @Test
    void servesAGraphBuiltAgain() {
        Graph again = graph(64);

        MemoryPlan read = MemoryPlan.fromJson(json, PlanRequest.of(again, HostBufferType.standard()));

        assertThat(read.graph()).isSameAs(again);
        assertThat(read.toJson()).isEqualTo(json);
    }

    @Test
    void canBeReservedWithoutPlanning() {
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            MemoryPlan read = MemoryPlan.fromJson(json, request);
            allocator.reserve(read);

            assertThat(allocator.bind(graph).plan()).containsSame(read);
        }
    }

    @Test
    void isRefusedForAnotherGraph() {
        PlanRequest other = PlanRequest.of(graph(128), HostBufferType.standard());

        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> MemoryPlan.fromJson(json, other))
                .withMessageContaining("another graph");
    }

    @Test
    void isRefusedForOtherMemory() {
        PlanRequest other = PlanRequest.of(graph, MeasuringBufferType.of("gpu", 256));

        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> MemoryPlan.fromJson(json, other))
                .withMessageContainingAll("'host' aligned to 64", "'gpu' aligned to 256");
    }

    @Test
    void isRefusedWhereItBreaksARule() {
        String moved = json.replaceFirst("\"offset\": \\d+", "\"offset\": 1");

        assertThat(moved).isNotEqualTo(json);
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> MemoryPlan.fromJson(moved, request))
                .withMessageContaining("not a multiple of 64");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{}", "[]", "{\"format\": \"other\", \"version\": 1}", "{\"format\": \"stowage-plan\"}"})
    void isRefusedWhereItIsNotAPlan(String text) {
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> MemoryPlan.fromJson(text, request));
    }

    @Test
    void isRefusedInAVersionThatIsNotKnown() {
        String later = json.replace("\"version\": 1", "\"version\": 2");

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> MemoryPlan.fromJson(later, request))
                .withMessageContaining("version 2");
    }

    @Test
    void isRefusedWhereATensorHasTwoPlaces() {
        int first = json.indexOf("{", json.indexOf("\"tensors\""));
        int end = json.indexOf("}", first);
        String doubled = json.substring(0, first) + json.substring(first, end + 1) + "," + json.substring(first);

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> MemoryPlan.fromJson(doubled, request))
                .withMessageContaining("has a place already");
    }
}
