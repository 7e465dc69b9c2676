package dev.stowage.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listeners and how they are registered. */
class RunListenerTest {

    /** Records what it is notified of. */
    private record Notes(String name, List<String> lines) implements RunListener {

        @Override
        public void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos) {
            lines.add(name + " computed " + nodes.size() + " on " + backend.name() + " " + startNanos + " " + endNanos);
        }

        @Override
        public void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
            lines.add(name + " ran " + split + " of " + graph.nodeCount() + " on " + backend.name() + " " + startNanos
                    + " " + endNanos);
        }

        @Override
        public void copied(
                Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {
            lines.add(name + " copied " + tensor.name() + " of " + bytes + " from " + from.name() + " to " + to.name()
                    + " for " + split + " " + startNanos + " " + endNanos);
        }
    }

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 4);
    private final Tensor sum = b.add(x, x);
    private final Backend one = new AddingDevice("one", DeviceType.CPU, 0).open();
    private final Backend two = new AddingDevice("two", DeviceType.GPU, 0).open();

    @Test
    void twoListenersAreNotifiedOfTheSameOneAfterTheOther() {
        List<String> lines = new ArrayList<>();
        RunListener both = new Notes("first", lines).and(new Notes("second", lines));
        both.copied(one, two, 7, x, 16, 1, 2);
        both.computed(two, List.of(sum), 3, 4);
        both.ranSplit(two, 7, b.build(sum), 1, 5);

        assertThat(lines)
                .containsExactly(
                        "first copied x of 16 from one to two for 7 1 2",
                        "second copied x of 16 from one to two for 7 1 2",
                        "first computed 1 on two 3 4",
                        "second computed 1 on two 3 4",
                        "first ran 7 of 1 on two 1 5",
                        "second ran 7 of 1 on two 1 5");
    }

    @Test
    void backendsHaveNoListenerUnlessOneIsGiven() {
        RunListener listener = new Notes("only", new ArrayList<>());

        assertThat(BackendOptions.defaults().listener()).isEmpty();
        assertThat(BackendOptions.defaults()
                        .withListener(listener)
                        .withThreads(3)
                        .withAbort(() -> true)
                        .listener())
                .containsSame(listener);
    }
}
