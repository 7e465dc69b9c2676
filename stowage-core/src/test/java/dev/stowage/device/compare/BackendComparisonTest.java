package dev.stowage.device.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.AddingDevice;
import dev.stowage.device.Backend;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackendComparisonTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 1);
    private final Tensor doubled = b.add(x, x);
    private final Tensor tripled = b.add(doubled, x);
    private final Tensor sextupled = b.add(tripled, tripled);
    private final Graph graph = b.build(sextupled);
    private final Buffer memory = Allocations.allocateAll(b, HostBufferType.standard());
    private final Backend right = new AddingDevice("right", DeviceType.CPU, 0).open();
    private final Backend wrong = new AddingDevice("wrong", DeviceType.CPU, 1).open();

    @AfterEach
    void close() {
        right.close();
        wrong.close();
        memory.close();
    }

    @Test
    void showsBothResultsOfEveryNode() {
        TensorData.setFloats(x, 1);
        List<Float> differences = new ArrayList<>();

        int computed = BackendComparison.compare(right, wrong, graph, (node, first, second) -> {
            differences.add(TensorData.getFloats(second)[0] - TensorData.getFloats(first)[0]);
            return true;
        });

        assertThat(computed).isEqualTo(3);
        assertThat(differences).containsExactly(1f, 2f, 5f);
        assertThat(TensorData.getFloats(sextupled)).containsExactly(6);
    }

    @Test
    void showsOnlyTheChosenNodes() {
        List<Integer> seen = new ArrayList<>();

        BackendComparison.compare(
                right, wrong, BoundGraph.of(graph), node -> node == 1, (node, first, second) -> seen.add(node));

        assertThat(seen).containsExactly(1);
    }

    @Test
    void stopsWhenTheCallerSaysSo() {
        List<Integer> seen = new ArrayList<>();

        int computed = BackendComparison.compare(right, wrong, graph, (node, first, second) -> {
            seen.add(node);
            return false;
        });

        assertThat(computed).isOne();
        assertThat(seen).containsExactly(0);
    }
}
