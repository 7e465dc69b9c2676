package dev.stowage.cli.run;

import dev.stowage.cli.text.OutputFiles;
import dev.stowage.device.RunListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.profile.ChromeTrace;
import dev.stowage.profile.RunProfile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that have a run recorded, and the recording: sums for reading, spans for a trace viewer. */
final class ProfilingArguments {

    @Option(names = "--profile", description = "Show the time per op and per split on the error stream.")
    private boolean profiled;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write what ran when to a file for a trace viewer, such as ui.perfetto.dev or chrome://tracing.")
    private @Nullable Path file;

    private @Nullable RunProfile profile;
    private @Nullable ChromeTrace trace;

    /** Attaches the listeners to the devices, if a profile or trace is requested. */
    ModelOptions attach(ModelOptions options) {
        if (file != null) {
            OutputFiles.requireWritable(file, "the trace");
            trace = new ChromeTrace();
        }
        profile = profiled ? new RunProfile() : null;
        return listener()
                .map(each -> options.withBackend(options.backend().withListener(each)))
                .orElse(options);
    }

    /** Attaches the listeners to the splits and copies of a session. */
    void attach(Session session) {
        listener().ifPresent(session::listen);
    }

    private Optional<RunListener> listener() {
        return Stream.<@Nullable RunListener>of(profile, trace)
                .<RunListener>mapMulti((each, found) -> {
                    if (each != null) {
                        found.accept(each);
                    }
                })
                .reduce(RunListener::and);
    }

    /** Shows and writes what was recorded. */
    void publish(PrintWriter err) throws IOException {
        if (profile != null) {
            err.print(profile.text());
        }
        if (trace != null && file != null) {
            trace.write(file);
            err.println("Written: " + file
                    + (trace.dropped() == 0
                            ? ""
                            : ", without the last " + trace.dropped() + " spans: there was no room"));
        }
        err.flush();
    }
}
