package dev.stowage.cpu;

import dev.stowage.cpu.kernel.Memory;
import java.util.Optional;

/**
 * Tries what the kernels rely on before a device is offered: the JVM's compiler and instructions, the width of vectors,
 * access to memory by address, and a few kernels against plain loops. Of the time it takes, some ten milliseconds, nearly
 * all is for loading classes that the first graph needs too. Nothing is timed: whether vector code becomes vector
 * instructions can be read from flags of the JVM, and a measurement before the JIT has compiled anything says nothing.
 */
final class CpuProbe {

    private static final String VECTORS = "jdk.incubator.vector";

    private CpuProbe() {}

    /** Why this JVM cannot run the kernels, with the flag that helps; empty where it can. */
    static Optional<String> objection() {
        if (ModuleLayer.boot().findModule(VECTORS).isEmpty()) {
            return Optional.of("the Vector API is missing: start java with --add-modules " + VECTORS);
        }
        VmRequirements requirements = new VmRequirements(VmFlag::find);
        try {
            return requirements
                    .missing()
                    .or(() -> requirements.wrongWidth(Processor.vectorBits()))
                    .or(CpuProbe::deniedAddresses)
                    .or(CpuProbe::wrongKernel);
        } catch (RuntimeException | LinkageError e) {
            return Optional.of("the kernels failed when they were tried: " + e);
        }
    }

    private static Optional<String> deniedAddresses() {
        try {
            // The class asks the JVM for access when it is initialized.
            Memory.touch();
            return Optional.empty();
        } catch (ExceptionInInitializerError e) {
            if (!(e.getCause() instanceof IllegalCallerException)) {
                throw e;
            }
            Module own = CpuProbe.class.getModule();
            return Optional.of("the JVM denies access to memory by address: start java with --enable-native-access="
                    + (own.isNamed() ? own.getName() : "ALL-UNNAMED"));
        }
    }

    private static Optional<String> wrongKernel() {
        // Before the first kernel runs, or the compiler may have taken it already.
        CompilerRules.apply();
        return KernelCheck.firstWrong()
                .map(wrong -> "a kernel computes wrong numbers with vectors of " + Processor.vectorBits() + " bits ("
                        + wrong + "): start java with another -XX:MaxVectorSize, and report this");
    }
}
