package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.MachineSupport;
import java.util.List;
import java.util.Optional;

/** The kernels of rows that this process uses, where there is {@linkplain MachineSupport machine code}. */
public final class RowSupport {

    /** A call takes at least a row, and while it runs its thread cannot be stopped: so many elements take some 100 microseconds. */
    private static final long LONGEST_ROW = 1 << 20;

    private RowSupport() {}

    /** Kernels stay as long as the process does: any graph may use them. */
    private static final class Written {

        private static final Optional<RowLevel> LEVEL =
                MachineSupport.best(List.of(RowLevel.values()), RowLevel::features);

        private static final Optional<RowKernels> ROWS = LEVEL.map(RowKernels::new);

        private static final Optional<AttentionKernels> ATTENTION = LEVEL.map(AttentionKernels::new);

        private static final Optional<LaneKernels> LANES =
                LEVEL.filter(level -> level == RowLevel.AVX512).map(_ -> new LaneKernels());

        private Written() {}
    }

    /** The kernels, where rows of that many elements can be given to them. */
    public static Optional<RowKernels> kernels(long elements) {
        return isTaken(elements) ? Written.ROWS : Optional.empty();
    }

    /** The kernels of attention, where rows of that many elements can be given to them. */
    public static Optional<AttentionKernels> attention(long elements) {
        return isTaken(elements) ? Written.ATTENTION : Optional.empty();
    }

    /** The transposition of rows and lanes, where rows of that many elements can be given to it. */
    public static Optional<LaneKernels> lanes(long elements) {
        return isTaken(elements) ? Written.LANES : Optional.empty();
    }

    private static boolean isTaken(long elements) {
        return elements > 0 && elements % RowKernels.LANES == 0 && elements <= LONGEST_ROW;
    }
}
