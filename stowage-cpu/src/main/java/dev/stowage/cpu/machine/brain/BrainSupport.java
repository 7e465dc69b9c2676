package dev.stowage.cpu.machine.brain;

import dev.stowage.cpu.machine.MachineSupport;
import java.util.List;
import java.util.Optional;

/**
 * Whether this process multiplies bf16 by machine code. It does where the processor has an instruction for it, there is {@linkplain
 * MachineSupport machine code}, and it computes what it should. Nothing is asked before there are weights that it matters to.
 */
public final class BrainSupport {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    private BrainSupport() {}

    /** Kernels stay as long as the process does: any graph may use them. */
    private static final class Written {

        private static final Optional<BrainKernels> KERNELS = MachineSupport.bestIfAny(
                        List.of(BrainLevel.values()), BrainLevel::features)
                .map(BrainKernels::new)
                .filter(Written::isRight);

        private Written() {}

        private static boolean isRight(BrainKernels kernels) {
            Optional<String> wrong;
            try {
                wrong = BrainCheck.firstWrong(kernels);
            } catch (UnsupportedOperationException e) {
                wrong = Optional.of(String.valueOf(e.getMessage()));
            }
            wrong.ifPresent(reason ->
                    LOGGER.log(System.Logger.Level.WARNING, "no machine code for products of bf16: " + reason));
            return wrong.isEmpty();
        }
    }

    /** The kernels, where rows of that many elements can be given to them. */
    public static Optional<BrainKernels> kernels(long elements) {
        return elements > 0 && elements % BrainKernels.STEP == 0 ? Written.KERNELS : Optional.empty();
    }
}
