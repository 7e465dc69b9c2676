package dev.stowage.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.RunListener;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the reference reports to a listener. */
class ReferenceListenerTest {

    /** Nodes that were reported. */
    private record Report(Backend backend, List<Tensor> nodes, long start, long end) {}

    private final Device device = new ReferenceProvider().devices().getFirst();
    private final List<Report> reports = new ArrayList<>();
    private final RunListener listener =
            (backend, nodes, start, end) -> reports.add(new Report(backend, nodes, start, end));

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 4, 2);
    private final Tensor squared = b.sqr(x);
    private final Tensor turned = b.transpose(squared);
    private final Tensor copied = b.cont(turned);
    private final Tensor doubled = b.scale(copied, 2);
    private final Graph graph = b.build(doubled.asOutput());
    private final GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());
    private final BoundGraph bound = allocator.bind(graph);

    @BeforeEach
    void fill() {
        TensorData.setFloats(bound.tensor(x), 1, 2, 3, 4, 5, 6, 7, 8);
    }

    @AfterEach
    void giveBack() {
        allocator.close();
    }

    @Test
    void everyNodeThatRunsIsReportedOnceAndInOrder() {
        try (Backend backend = device.open(BackendOptions.defaults().withListener(listener))) {
            backend.compute(bound);

            assertThat(reports)
                    .extracting(Report::nodes)
                    .containsExactly(List.of(squared), List.of(copied), List.of(doubled));
            assertThat(reports).extracting(Report::backend).containsOnly(backend);
        }
    }

    @Test
    void oneNodeIsOverBeforeTheNextBegins() {
        try (Backend backend = device.open(BackendOptions.defaults().withListener(listener))) {
            backend.compute(bound);
        }
        long before = reports.getFirst().start();
        for (Report each : reports) {
            assertThat(each.start() - before).isNotNegative();
            assertThat(each.end() - each.start()).isNotNegative();
            before = each.end();
        }
    }

    @Test
    void aNodeThatIsNotRunIsNotReported() {
        AtomicInteger asked = new AtomicInteger();
        BackendOptions options =
                BackendOptions.defaults().withListener(listener).withAbort(() -> asked.getAndIncrement() == 2);
        try (Backend backend = device.open(options)) {
            assertThatThrownBy(() -> backend.compute(bound)).isInstanceOf(DeviceException.class);
        }
        assertThat(reports).extracting(Report::nodes).containsExactly(List.of(squared));
    }
}
