package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.MachineSupport;
import java.util.Optional;

/** The kernels of rows that this process uses, where there is {@linkplain MachineSupport machine code}. */
public final class RowSupport {

    /** A call takes at least a row, and while it runs its thread cannot be stopped: so many elements take some 100 microseconds. */
    private static final long LONGEST_ROW = 1 << 20;

    private RowSupport() {}

    /** Kernels stay as long as the process does: any graph may use them. */
    private static final class Written {

        private static final Optional<RowKernels> KERNELS =
                MachineSupport.has(RowKernels.FEATURES) ? Optional.of(new RowKernels()) : Optional.empty();

        private Written() {}
    }

    /** The kernels, where rows of that many elements can be given to them. */
    public static Optional<RowKernels> kernels(long elements) {
        boolean isWhole = elements > 0 && elements % RowKernels.LANES == 0 && elements <= LONGEST_ROW;
        return isWhole ? Written.KERNELS : Optional.empty();
    }
}
