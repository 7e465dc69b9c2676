package dev.stowage.cli.conformance;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What commands that compare with recorded cases share: their operands and exit codes. The comparison itself needs the
 * {@link TestKit}, so no signature in a command names a type of it: picocli resolves all of them for {@code --help}.
 */
abstract class GoldenConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files with one recorded case per line, plain or compressed with gzip.")
    private List<Path> files;

    /** The comparison with the cases of these files. */
    abstract GoldenComparison<?> comparison(List<Path> cases, CommandLine command);

    @Override
    public final Integer call() {
        TestKit.require(spec);
        return comparison(files, spec.commandLine()).run() ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }
}
