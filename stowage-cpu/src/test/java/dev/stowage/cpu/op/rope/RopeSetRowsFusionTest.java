package dev.stowage.cpu.op.rope;

import static dev.stowage.cpu.op.FusionRun.f32;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.op.FusionRun;
import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RopeSetRowsFusionTest {

    private static final long HEAD = 64;
    private static final long HEADS = 3;
    private static final long TOKENS = 9;
    private static final double EXACT = 1e-9;

    private static Tensor rotated(GraphBuilder b, RopeMode mode) {
        return b.rope(f32(b, HEAD, HEADS, TOKENS), b.tensor(ElementType.I32, TOKENS), OpParameters.Rope.of(48, mode));
    }

    private static Tensor stored(GraphBuilder b, Tensor rotated, ElementType type) {
        Tensor rows = b.view2d(rotated, HEAD * HEADS, TOKENS, rotated.stride(2), 0);
        return b.setRows(b.tensor(type, HEAD * HEADS, 2 * TOKENS + 1), rows, b.tensor(ElementType.I64, TOKENS));
    }

    private static FusionRun run(RopeMode mode, ElementType type) {
        return FusionRun.of(5, b -> List.of(stored(b, rotated(b, mode), type)));
    }

    @Test
    void isRightForCachesOfManyTypes() {
        run(RopeMode.NEOX, ElementType.F32).check(EXACT);
        run(RopeMode.NORMAL, ElementType.F16).check(1e-7);
        run(RopeMode.NEOX, ElementType.Q8_0).check(1e-4);
    }

    @Test
    void leavesTheLaterRowWhereANumberComesTwice() {
        run(RopeMode.NEOX, ElementType.F32).withRepeatedNumbers().check(EXACT);
    }

    @Test
    void writesTheTurnedKeysNowhereButToTheCache() {
        assertThat(writesTurnedKeys("")).isFalse();
        assertThat(writesTurnedKeys("rope-set-rows")).isTrue();
    }

    private static boolean writesTurnedKeys(String without) {
        GraphBuilder b = new GraphBuilder();
        Tensor rotated = rotated(b, RopeMode.NORMAL);
        Graph graph = Graph.of(stored(b, rotated, ElementType.F16));
        BackendOptions options =
                BackendOptions.defaults().withSettings(Map.of(StandardKernels.WITHOUT_FUSIONS, without));
        try (Backend backend = new CpuProvider().devices().getFirst().open(options);
                Buffer buffer = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard())) {
            buffer.clear((byte) 0);
            TensorData.setFloats(rotated, filled(1f));
            backend.compute(graph);
            return !Arrays.equals(TensorData.getFloats(rotated), filled(1f));
        }
    }

    private static float[] filled(float value) {
        float[] values = new float[(int) (HEAD * HEADS * TOKENS)];
        Arrays.fill(values, value);
        return values;
    }

    @Test
    void isLeftWhereTheTurnedKeysAreReadByOthers() {
        FusionRun run = FusionRun.of(6, b -> {
            Tensor rotated = rotated(b, RopeMode.NEOX);
            return List.of(stored(b, rotated, ElementType.F32), b.sqr(rotated));
        });
        run.check(EXACT);
    }

    @Test
    void isLeftWhereTheTurnedKeysAreAnOutput() {
        FusionRun run = FusionRun.of(7, b -> {
            Tensor rotated = rotated(b, RopeMode.NEOX).asOutput();
            return List.of(stored(b, rotated, ElementType.F32), rotated);
        });
        run.check(EXACT);
    }

    @Test
    void isLeftWhereEachHeadHasARowOfItsOwn() {
        FusionRun run = FusionRun.of(8, b -> {
            Tensor rows = b.reshape(rotated(b, RopeMode.NEOX), HEAD, HEADS * TOKENS);
            Tensor cache = f32(b, HEAD, 2 * HEADS * TOKENS);
            return List.of(b.setRows(cache, rows, b.tensor(ElementType.I64, HEADS * TOKENS)));
        });
        run.check(EXACT);
    }

    @Test
    void refusesANumberAfterTheLastRowBeforeItWrites() {
        GraphBuilder b = new GraphBuilder();
        Tensor cells = b.tensor(ElementType.I64, TOKENS);
        Tensor rotated = rotated(b, RopeMode.NEOX);
        Tensor rows = b.view2d(rotated, HEAD * HEADS, TOKENS, rotated.stride(2), 0);
        Tensor cache = f32(b, HEAD * HEADS, TOKENS);
        Graph graph = Graph.of(b.setRows(cache, rows, cells));
        try (Backend backend = new CpuProvider().devices().getFirst().open();
                Buffer buffer = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard())) {
            buffer.clear((byte) 0);
            TensorData.setLongs(cells, 0, 1, 2, 3, 4, 5, 6, 7, TOKENS);
            assertThatThrownBy(() -> backend.compute(graph))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("names row 9");
            assertThat(OpRun.read(cache)).containsOnly(0);
        }
    }
}
