package dev.stowage.cpu;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Keeps C1 from compiling the kernels. C1 gives up on methods with many vectors ("out of virtual registers"), marks
 * them as compiled by it all the same, and C2, which has the intrinsics of vectors, then never compiles them: such a
 * kernel runs a hundred times slower for as long as the process lives, in some processes and not in others. A compiler
 * directive, which can be added to a running JVM, leaves these methods to C2 alone.
 *
 * <p>It also has that compiler inline the few methods that return vectors. Left to itself it does
 * not if such a method happened to be compiled before and became large, and every vector is put into an object then.
 */
final class CompilerRules {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** The methods that the rules are for: those of the package of the kernels and of all packages below it. */
    static final String KERNELS = "dev/stowage/cpu/kernel/*.*";

    /** The methods that are inlined into every caller. */
    static final List<String> INLINED = List.of(
            "dev/stowage/cpu/kernel/math/VectorExponentials.*",
            "dev/stowage/cpu/kernel/math/VectorActivations.*",
            "dev/stowage/cpu/kernel/math/SinCosKernels.sine",
            "dev/stowage/cpu/kernel/LaneSums.of");

    private static final String DIRECTIVES = """
            [{match: "%s",
              c1: {Exclude: true},
              c2: {inline: [%s]}}]
            """.formatted(
                    KERNELS, INLINED.stream().map(each -> "\"+" + each + "\"").collect(Collectors.joining(", ")));

    private static final boolean IN_FORCE = add();

    private CompilerRules() {}

    /** Puts the rules in force, once per process; returns whether they are. */
    static boolean apply() {
        return IN_FORCE;
    }

    private static boolean add() {
        try {
            // First of all, as it takes long: a process that ends meanwhile must not leave a file.
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            Path file = Files.createTempFile("stowage", ".json");
            // For a process that is ended by another thread while the JVM reads the file.
            file.toFile().deleteOnExit();
            try {
                Files.writeString(file, DIRECTIVES);
                Object answer = server.invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "compilerDirectivesAdd",
                        new Object[] {new String[] {file.toString()}},
                        new String[] {String[].class.getName()});
                return isAdded(String.valueOf(answer));
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException | JMException | RuntimeException e) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the JVM takes no compiler directives (" + e + "): kernels may stay slow in some processes",
                    e);
            return false;
        }
    }

    private static boolean isAdded(String answer) {
        boolean added = answer.contains("directives added");
        if (!added) {
            LOGGER.log(System.Logger.Level.WARNING, "the JVM refused a compiler directive: " + answer.strip());
        }
        return added;
    }
}
