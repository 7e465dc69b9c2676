package dev.stowage.cpu.op.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.op.AgainstReference;
import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.cpu.program.CpuProgram;
import dev.stowage.cpu.program.Fusions;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shapes larger than the conformance cases have, as models have them, and the caller's own ops on several threads. */
class SequenceFamilyTest {

    private static Tensor f32(GraphBuilder b, String name, long... dimensions) {
        return b.input(name, ElementType.F32, dimensions);
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "5, 4", "150, 4", "70, 3"})
    void convolvesAlongTokens(int tokens, int taps) {
        AgainstReference.check(1, b -> b.ssmConv(f32(b, "data", taps - 1 + tokens, 37, 2), f32(b, "kernel", taps, 37)));
    }

    @ParameterizedTest
    @CsvSource({"1, 128", "1, 20", "40, 40", "16, 16"})
    void scansStates(int decays, int size) {
        AgainstReference.check(
                2,
                b -> b.ssmScan(
                        f32(b, "state", size, 6, 4, 2),
                        f32(b, "x", 6, 4, 9, 2),
                        f32(b, "dt", 4, 9, 2),
                        f32(b, "a", decays, 4),
                        f32(b, "b", size, 2, 9, 2),
                        f32(b, "c", size, 2, 9, 2),
                        b.input("ids", ElementType.I32, 2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 48, 20, 7})
    void carriesTheStateOfRwkv6(int size) {
        AgainstReference.check(
                3,
                b -> b.rwkvWkv6(
                        f32(b, "k", size, 3, 10),
                        f32(b, "v", size, 3, 10),
                        f32(b, "r", size, 3, 10),
                        f32(b, "first", size, 3),
                        f32(b, "decay", size, 3, 10),
                        f32(b, "state", 3L * size * size, 2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 48, 20, 7})
    void carriesTheStateOfRwkv7(int size) {
        AgainstReference.check(
                4,
                b -> b.rwkvWkv7(
                        f32(b, "r", size, 3, 10),
                        f32(b, "w", size, 3, 10),
                        f32(b, "k", size, 3, 10),
                        f32(b, "v", size, 3, 10),
                        f32(b, "a", size, 3, 10),
                        f32(b, "b", size, 3, 10),
                        f32(b, "state", 3L * size * size, 2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 48, 20, 7})
    void carriesTheStateOfLinearAttention(int size) {
        AgainstReference.check(
                5,
                b -> b.gatedLinearAttn(
                        f32(b, "k", size, 3, 10),
                        f32(b, "v", size, 3, 10),
                        f32(b, "q", size, 3, 10),
                        f32(b, "gate", size, 3, 10),
                        f32(b, "state", 3L * size * size, 2),
                        0.3f));
    }

    @ParameterizedTest
    @CsvSource({"64, 1, 1", "64, 64, 3", "48, 1, 2", "21, 21, 1"})
    void carriesTheStateOfADeltaNet(int size, int gates, int snapshots) {
        AgainstReference.check(
                6,
                b -> b.gatedDeltaNet(
                        f32(b, "q", size, 2, 7, 2),
                        f32(b, "k", size, 2, 7, 2),
                        f32(b, "v", size, 4, 7, 2),
                        f32(b, "gate", gates, 4, 7, 2),
                        f32(b, "beta", 1, 4, 7, 2),
                        f32(b, "state", size, size, 4, 2),
                        snapshots));
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16"})
    void multipliesRowsWithRows(ElementType type) {
        AgainstReference.check(7, b -> b.outProd(b.input("a", type, 70, 400, 2), f32(b, "b", 20, 400, 4)));
    }

    @Test
    void mixesStreams() {
        AgainstReference.check(8, b -> {
            Tensor residual = f32(b, "residual", 101, 4, 33);
            Tensor x = b.dsv4HcPre(residual, f32(b, "weights", 4, 33));
            Tensor comb = b.dsv4HcComb(f32(b, "mixes", 24, 33), f32(b, "scale", 3), f32(b, "base", 24), 1e-4f, 5);
            return b.dsv4HcPost(x, residual, f32(b, "post", 4, 33), comb);
        });
    }

    /** Adds 1 to its part of the elements, and notes which part that was. */
    private static CustomOp increment(Set<Integer> parts, Set<Integer> counts) {
        return part -> {
            parts.add(part.index());
            counts.add(part.count());
            MemorySegment to = part.bytes(part.result());
            MemorySegment from = part.bytes(part.result().source(0));
            long elements = part.result().shape().elements();
            for (long i = elements * part.index() / part.count();
                    i < elements * (part.index() + 1) / part.count();
                    i++) {
                to.setAtIndex(ValueLayout.JAVA_FLOAT, i, from.getAtIndex(ValueLayout.JAVA_FLOAT, i) + 1);
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"1, 8, 1", "4, 8, 4", "4, 3, 3", "4, 1, 1"})
    void callsCustomOpsForAsManyPartsAsThereAreThreads(int threads, int maxParts, int expected) {
        Set<Integer> parts = ConcurrentHashMap.newKeySet();
        Set<Integer> counts = ConcurrentHashMap.newKeySet();
        GraphBuilder b = new GraphBuilder();
        Tensor x = f32(b, "x", 103);
        Tensor y = b.mapCustom1(x, increment(parts, counts), maxParts).asOutput();
        Graph graph = b.build(y);
        // A backend has no more threads than the machine has processors; a team of its own workers has.
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());
                ThreadTeam team = new ThreadTeam(threads, "parts")) {
            BoundGraph bound = allocator.bind(graph);
            TensorData.setFloats(bound.tensor(x), new float[103]);
            Fusions fusions = StandardKernels.fusions(BackendOptions.defaults());
            try (CpuProgram program = CpuProgram.of(bound, StandardKernels.all(), fusions, threads)) {
                program.run(team, "cpu", () -> false);
            }
            assertThat(TensorData.getFloats(bound.tensor(y))).containsOnly(1f);
        }
        assertThat(counts).containsExactly(expected);
        assertThat(parts).hasSize(expected);
    }

    @Test
    void saysWhichCustomOpFailed() {
        GraphBuilder b = new GraphBuilder();
        Tensor y = b.mapCustom1(f32(b, "x", 8), _ -> {
                    throw new IllegalStateException("no luck");
                })
                .named("unlucky")
                .asOutput();
        Graph graph = b.build(y);
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());
                Backend backend = new CpuProvider()
                        .devices()
                        .getFirst()
                        .open(BackendOptions.defaults().withThreads(2))) {
            BoundGraph bound = allocator.bind(graph);
            assertThatThrownBy(() -> backend.compute(bound))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("unlucky")
                    .hasMessageContaining("no luck");
        }
    }
}
