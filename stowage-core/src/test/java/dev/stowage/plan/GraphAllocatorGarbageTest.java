package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Binding is on the way of every run: once a graph is bound, binding it again must leave nothing to collect. */
class GraphAllocatorGarbageTest {

    private static final int CALLS = 10_000;

    /**
     * What this thread has allocated so far. Found by name, because the module under test does not read the management
     * modules of the JDK and should not for the sake of a test.
     */
    private static long allocatedBytes() {
        try {
            Object threads = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            return (long) Class.forName("com.sun.management.ThreadMXBean")
                    .getMethod("getCurrentThreadAllocatedBytes")
                    .invoke(threads);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this Java does not count what a thread allocates", e);
        }
    }

    private static double bytesPerBind(GraphAllocator allocator, Graph... graphs) {
        for (int i = 0; i < 2 * CALLS; i++) {
            allocator.bind(graphs[i % graphs.length]);
        }
        long before = allocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            allocator.bind(graphs[i % graphs.length]);
        }
        return (double) (allocatedBytes() - before) / CALLS;
    }

    private static Graph graph() {
        Tensor last = TestTensors.leaf("x", 8);
        for (int i = 0; i < 50; i++) {
            Tensor sum = TestTensors.add("sum" + i, 8, last);
            last = TestTensors.cont("cont" + i, 8, TestTensors.view("view" + i, sum, 2, 6));
        }
        return Graph.of(last.asOutput());
    }

    @Test
    void bindingTheSameGraphAgainMakesNone() {
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            assertThat(bytesPerBind(allocator, graph())).isLessThan(4);
        }
    }

    /** A bound graph is a value: what it says, where every tensor is stored, is all there is to make. */
    @Test
    void bindingTwoGraphsOfTheSameWiringInTurnMakesTheirPlacesAndLittleElse() {
        Graph first = graph();
        Graph second = graph();
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            assertThat(bytesPerBind(allocator, first, second)).isLessThan(48.0 * first.size() + 1024);
        }
    }
}
