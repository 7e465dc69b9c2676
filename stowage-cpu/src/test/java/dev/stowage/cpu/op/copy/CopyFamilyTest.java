package dev.stowage.cpu.op.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.op.AgainstReference;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.AccessException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the conformance cases are too small or too regular for: tiles, parts of rows, several threads, rows twice. */
class CopyFamilyTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 15, 16, 17, 33, 160})
    void transposesMatricesOfAnySize(long size) {
        AgainstReference.check(size, b -> b.cont(b.transpose(b.input("a", ElementType.F32, size, 47, 3))));
        AgainstReference.check(size, b -> b.cont(b.transpose(b.input("a", ElementType.F32, 50, size, 2))));
    }

    @Test
    void transposesHalves() {
        AgainstReference.check(
                1,
                b -> b.cast(
                        b.cont(b.transpose(b.cast(b.input("a", ElementType.F32, 70, 47, 3), ElementType.F16))),
                        ElementType.F32));
    }

    @Test
    void castsRowsLongerThanAPart() {
        for (ElementType type : new ElementType[] {ElementType.F16, ElementType.Q8_0, ElementType.Q4_K}) {
            AgainstReference.check(
                    2, b -> b.cast(b.cast(b.input("a", ElementType.F32, 5120, 3), type), ElementType.F32));
        }
    }

    @Test
    void castsStridedRows() {
        AgainstReference.check(3, b -> {
            Tensor a = b.input("a", ElementType.F32, 3, 5000, 2);
            return b.cast(b.cast(b.transpose(a), ElementType.F16), ElementType.F32);
        });
    }

    @Test
    void copiesBetweenShapesThatShareNoRow() {
        AgainstReference.check(4, b -> {
            Tensor a = b.permute(b.input("a", ElementType.F32, 12, 35, 6), 0, 2, 1, 3);
            return b.cont(a, 21, 120);
        });
    }

    @Test
    void addsToARegionOnSeveralThreads() {
        AgainstReference.check(5, b -> {
            Tensor a = b.input("a", ElementType.F32, 203, 301);
            Tensor part = b.input("b", ElementType.F32, 101, 200);
            return b.acc(a, part, a.stride(1), a.stride(2), a.stride(3), 7 * a.stride(1) + 44);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void keepsTheLaterOfTwoRowsWithTheSameNumber(int threads) {
        GraphBuilder b = new GraphBuilder();
        Tensor table = b.input("table", ElementType.F32, 600, 2);
        Tensor rows = b.input("rows", ElementType.F32, 600, 40);
        Tensor numbers = b.input("numbers", ElementType.I32, 40);
        Graph graph = b.build(b.setRows(table, rows, numbers));
        float[] values = new float[600 * 40];
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.floorDiv(i, 600);
        }
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());
                Backend backend = backend(threads)) {
            BoundGraph bound = allocator.bind(graph);
            TensorData.setFloats(bound.tensor(table), new float[1200]);
            TensorData.setFloats(bound.tensor(rows), values);
            TensorData.setInts(bound.tensor(numbers), new int[40]);
            backend.compute(bound);
            float[] written = TensorData.getFloats(bound.tensor(table));
            assertThat(Arrays.copyOf(written, 600)).containsOnly(39);
            assertThat(Arrays.copyOfRange(written, 600, 1200)).containsOnly(0);
        }
    }

    @Test
    void refusesARowThatTheTableDoesNotHaveBeforeAnythingIsWritten() {
        GraphBuilder b = new GraphBuilder();
        Tensor table = b.input("table", ElementType.F32, 8, 5);
        Tensor rows = b.input("rows", ElementType.F32, 8, 2);
        Tensor numbers = b.input("numbers", ElementType.I32, 2);
        Graph graph = b.build(b.setRows(table, rows, numbers));
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());
                Backend backend = backend(1)) {
            BoundGraph bound = allocator.bind(graph);
            TensorData.setFloats(bound.tensor(table), new float[40]);
            TensorData.setFloats(bound.tensor(rows), new float[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
            TensorData.setInts(bound.tensor(numbers), new int[] {0, 5});
            assertThatThrownBy(() -> backend.compute(bound))
                    .isInstanceOf(DeviceException.class)
                    .hasCauseInstanceOf(AccessException.class)
                    .hasMessageContaining("names row 5")
                    .hasMessageContaining("rows 0 to 4");
            assertThat(TensorData.getFloats(bound.tensor(table))).containsOnly(0);
        }
    }

    private static Backend backend(int threads) {
        return new CpuProvider()
                .devices()
                .getFirst()
                .open(BackendOptions.defaults().withThreads(threads));
    }
}
