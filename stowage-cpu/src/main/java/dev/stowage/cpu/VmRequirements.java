package dev.stowage.cpu;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a JVM must have for vector code to be vector instructions: the compiler C2, fused multiply-add, and vectors of a
 * width that the kernels are written for. Without the first two the Vector API still computes, but every operation is a
 * call that makes an object, and the processor would be slower than the reference; in other widths lanes would be lost.
 *
 * <p>Each answer is what is missing and the flag that is to be changed; empty where nothing is missing.
 */
final class VmRequirements {

    private static final int FULL_OPTIMIZATION = 4;

    private static final int NARROWEST_BITS = 128;
    private static final int WIDEST_BITS = 512;

    private final Function<String, Optional<VmFlag>> flags;

    /** @param flags gives the flag of a name, if the JVM has it */
    VmRequirements(Function<String, Optional<VmFlag>> flags) {
        this.flags = flags;
    }

    /** What the flags rule out. */
    Optional<String> missing() {
        return Stream.of(compiler(), vectorSupport(), fusedMultiplyAdd())
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** What is wrong with vectors of that many bits being preferred by the JVM. */
    Optional<String> wrongWidth(int bits) {
        if (bits > WIDEST_BITS) {
            return Optional.of("vectors have " + bits + " bits, and the kernels take at most " + WIDEST_BITS
                    + ": start java with -XX:MaxVectorSize=" + WIDEST_BITS / Byte.SIZE);
        }
        if (bits < NARROWEST_BITS) {
            return Optional.of("vectors have " + bits + " bits, and the kernels need at least " + NARROWEST_BITS + ": "
                    + given("MaxVectorSize")
                            .map(VmRequirements::startWithout)
                            .orElse("the processor or this JVM has no wider ones"));
        }
        return Optional.empty();
    }

    private Optional<String> compiler() {
        String why = "the JVM runs without its compiler C2, which alone makes vector instructions of vector code: ";
        if (is("CompilationMode", "quick-only")) {
            return Optional.of(why + startWithout("-XX:CompilationMode=quick-only"));
        }
        Optional<String> lastLevel = value("TieredStopAtLevel").filter(VmRequirements::isBelowC2);
        if (lastLevel.isPresent() && !is("TieredCompilation", "false")) {
            return Optional.of(why + startWithout("-XX:TieredStopAtLevel=" + lastLevel.get()));
        }
        if (is("UseCompiler", "false")) {
            return Optional.of(why + startWithout("-Xint, -XX:-UseCompiler and -XX:TieredStopAtLevel=0"));
        }
        return Optional.empty();
    }

    private static boolean isBelowC2(String level) {
        return Integer.parseInt(level) < FULL_OPTIMIZATION;
    }

    private Optional<String> vectorSupport() {
        return is("EnableVectorSupport", "false")
                ? Optional.of("the JVM makes no vector instructions of vector code: "
                        + startWithout("-XX:-EnableVectorSupport"))
                : Optional.empty();
    }

    private Optional<String> fusedMultiplyAdd() {
        if (!is("UseFMA", "false")) {
            return Optional.empty();
        }
        String remedy = given("UseFMA")
                .map(_ -> "-XX:-UseFMA")
                .or(() -> given("UseAVX"))
                .or(() -> given("UseSSE"))
                .map(VmRequirements::startWithout)
                .orElse("the processor does not have them");
        return Optional.of("the JVM uses no fused multiply-add instructions (UseFMA is off): " + remedy);
    }

    /** A flag with a number, as it stands on the command line. */
    private Optional<String> given(String name) {
        return flags.apply(name).filter(VmFlag::isGiven).map(flag -> "-XX:" + name + "=" + flag.value());
    }

    private Optional<String> value(String name) {
        return flags.apply(name).map(VmFlag::value);
    }

    private boolean is(String name, String value) {
        return value(name).filter(value::equals).isPresent();
    }

    private static String startWithout(String flag) {
        return "start java without " + flag;
    }
}
