package dev.stowage.cli.option;

import dev.stowage.plan.Planner;
import picocli.CommandLine.Option;

/** The memory planner, for commands that plan or run a graph. */
public final class PlannerOption {

    @Option(
            names = "--planner",
            paramLabel = "NAME",
            defaultValue = "ggml",
            converter = PlannerConverter.class,
            completionCandidates = PlannerConverter.Names.class,
            description = "The memory planner: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Planner planner = Planner.ggml();

    /** The planner that is given on the command line, else the default. */
    public Planner planner() {
        return planner;
    }
}
