package dev.stowage.plan.order;

import static dev.stowage.plan.TestTensors.copy;
import static dev.stowage.plan.TestTensors.keeper;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.PlanRequest;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeDependenciesTest {

    private static final MeasuringBufferType MEMORY = MeasuringBufferType.of("memory", 4);

    private final Tensor x = leaf("x", 1);
    private final Tensor cache = leaf("cache", 1).asWeight();
    private final Tensor a = node("a", Op.MUL_MAT, 1, x);
    private final Tensor b = node("b", Op.MUL_MAT, 1, x);
    private final Tensor write = copy("write", a, cache);

    private static NodeDependencies dependencies(Graph graph) {
        return new NodeDependencies(PlanRequest.of(graph, MEMORY));
    }

    private void assertOrder(Tensor first, Tensor second, Tensor... nodes) {
        Graph graph = Graph.listed(List.of(nodes), List.of(x, cache));
        NodeDependencies dependencies = dependencies(graph);

        assertThat(numbers(dependencies.before(graph.idOf(second)))).contains(graph.idOf(first));
        assertThat(numbers(dependencies.after(graph.idOf(first)))).contains(graph.idOf(second));
    }

    private static List<Integer> numbers(IntList bag) {
        return IntStream.range(0, bag.size()).mapToObj(bag::get).toList();
    }

    @Test
    void aNodeComesAfterItsSources() {
        assertOrder(a, write, a, write);
    }

    @Test
    void aViewComesAfterWhatItIsAViewOf() {
        Tensor seen = view("seen", a, 0, 1);

        assertOrder(a, seen, a, seen);
    }

    @Test
    void twoReadersMayChangePlaces() {
        Graph graph = Graph.listed(List.of(a, b), List.of(x, cache));

        assertThat(dependencies(graph).before(1).size()).isZero();
    }

    @Test
    void aReaderOfACacheComesAfterWhatIsWrittenToItNow() {
        Tensor read = node("read", Op.MUL_MAT, 1, cache);

        assertOrder(write, read, a, write, read);
    }

    @Test
    void aReaderThroughAnOlderViewComesAfterWhatIsWrittenToItsSource() {
        Tensor seen = view("seen", cache, 0, 1);
        Tensor read = node("read", Op.MUL_MAT, 1, seen);

        assertOrder(write, read, seen, a, write, read);
    }

    @Test
    void aWriterComesAfterThoseThatReadWhatWasThereBefore() {
        Tensor read = node("read", Op.MUL_MAT, 1, cache);

        assertOrder(read, write, read, a, write);
    }

    @Test
    void twoWritersStayInOrder() {
        Tensor again = copy("again", b, cache);

        assertOrder(write, again, a, write, b, again);
    }

    @Test
    void aResultWrittenOverItsOperandComesAfterOtherReadersOfIt() {
        Tensor read = node("read", Op.MUL_MAT, 1, a);
        Tensor over =
                Tensor.builder(a.layout()).op(Op.SCALE).sources(a).viewOf(a, 0).build();

        assertOrder(read, over, a, read, over);
    }

    @Test
    void tensorsPlacedOverEachOtherAreTheSameBytes() {
        Tensor alias = leaf("alias", 1);
        Tensor read = node("read", Op.MUL_MAT, 1, alias);
        try (Buffer buffer = MeasuringBufferType.of("outside", 4).allocate(4)) {
            buffer.place(cache, 0);
            buffer.place(alias, 0);

            assertOrder(write, read, a, write, read);
        }
    }

    @Test
    void tensorsPlacedSideBySideAreNot() {
        Tensor other = leaf("other", 1);
        Tensor read = node("read", Op.MUL_MAT, 1, other);
        try (Buffer buffer = MeasuringBufferType.of("outside", 4).allocate(8)) {
            buffer.place(cache, 0);
            buffer.place(other, 4);
            Graph graph = Graph.listed(List.of(a, write, read), List.of(x, cache, other));

            assertThat(dependencies(graph).before(2).size()).isZero();
        }
    }

    @Test
    void functionsOfTheCallersStayInOrder() {
        Tensor first = node("first", Op.MAP_CUSTOM1, 1, a);
        Tensor second = node("second", Op.CUSTOM, 1, b);

        assertOrder(first, second, a, b, first, second);
    }

    @Test
    void theOrderIsMeantWhereANodeOnlyKeepsATensor() {
        assertThat(dependencies(Graph.listed(List.of(a, keeper("kept", x)), List.of(x)))
                        .isOrderMeant())
                .isTrue();
        assertThat(dependencies(Graph.of(a)).isOrderMeant()).isFalse();
    }
}
