package dev.stowage.cli.option;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The number of threads, for commands that compute something. */
public final class ThreadsOption {

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Number of threads. Default: one for each processor.")
    private @Nullable Integer threads;

    /** The number that is given on the command line. */
    public Optional<Integer> threads() {
        return Optional.ofNullable(threads);
    }
}
