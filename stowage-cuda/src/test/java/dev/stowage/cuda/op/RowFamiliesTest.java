package dev.stowage.cuda.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.op.norm.NormFamily;
import dev.stowage.cuda.op.reduction.ReductionFamily;
import dev.stowage.cuda.op.rope.RopeFamily;
import dev.stowage.cuda.op.sequence.SequenceFamily;
import dev.stowage.cuda.op.sort.SortFamily;
import dev.stowage.cuda.program.Launch;
import dev.stowage.device.OpSupport;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import dev.stowage.testkit.op.OpGraph;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases of the ops that work on rows, as launches. */
class RowFamiliesTest {

    private static final int MOST_THREADS = 1024;
    private static final int MOST_BLOCKS = 65535;

    static final Map<Op, OpKernel> KERNELS = new EnumMap<>(Op.class);

    static {
        KERNELS.putAll(NormFamily.kernels());
        KERNELS.putAll(RopeFamily.kernels());
        KERNELS.putAll(ReductionFamily.kernels());
        KERNELS.putAll(SortFamily.kernels());
        KERNELS.putAll(SequenceFamily.kernels());
    }

    static Stream<Op> ops() {
        return KERNELS.keySet().stream();
    }

    private static List<OpCase> cases(Op op) {
        return Stream.concat(OpCases.of(op).stream(), OpCases.random(op, 7, 50).stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ops")
    void supportsEveryCase(Op op) {
        for (OpCase opCase : cases(op)) {
            OpGraph made = opCase.build();
            Tensor subject = made.subject(op);
            OpSupport support = Objects.requireNonNull(KERNELS.get(op)).supports(subject, PlacedGraph.HOPPER);
            assertThat(support.isSupported() || subject.shape().isEmpty())
                    .as(opCase.name() + ": " + support.reason())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("ops")
    void launchesFitTheKernelsAndTheDevice(Op op) {
        for (OpCase opCase : cases(op)) {
            try (PlacedGraph placed = PlacedGraph.apart(opCase.build().graph())) {
                for (Launch launch : placed.launches(KERNELS).launches()) {
                    assertThat(fits(launch))
                            .as(opCase.name() + ": " + launch.kernel())
                            .isTrue();
                }
            }
        }
    }

    private static boolean fits(Launch launch) {
        Dim3 grid = launch.grid();
        Dim3 block = launch.block();
        int threads = block.x() * block.y() * block.z();
        return grid.x() > 0
                && grid.y() > 0
                && grid.z() > 0
                && grid.y() <= MOST_BLOCKS
                && grid.z() <= MOST_BLOCKS
                && block.x() % 32 == 0
                && threads > 0
                && threads <= MOST_THREADS
                && launch.sharedBytes() <= PlacedGraph.HOPPER.sharedBytesPerBlock()
                && launch.isDependent();
    }
}
