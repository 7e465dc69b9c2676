package dev.stowage.cli.conformance;

import dev.stowage.error.MalformedDataException;
import picocli.CommandLine.Model.CommandSpec;

/** The test kit, which reads recorded cases and has the conformance suite of backends. Not every installation has it. */
final class TestKit {
    private static final String MODULE = "dev.stowage.testkit";

    private TestKit() {}

    /**
     * Checks that the test kit is there.
     *
     * @param command the command that needs it
     * @throws MalformedDataException if it is not on the module path or class path, with what to add
     */
    static void require(CommandSpec command) {
        try {
            Class.forName(MODULE + ".golden.GoldenFile", false, TestKit.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new MalformedDataException(
                    "'" + command.qualifiedName() + "' needs the test kit, which is not part of this installation: add"
                            + " the artifact dev.stowage:stowage-testkit, and on the module path also --add-modules "
                            + MODULE,
                    e);
        }
    }
}
