package dev.stowage.cli;

import dev.stowage.plan.Planner;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a planner by its name. */
final class PlannerConverter implements ITypeConverter<Planner> {
    private static final List<Planner> ALL = List.of(Planner.ggml());

    /** The names there are, for completion. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ALL.stream().map(Planner::name).iterator();
        }
    }

    @Override
    public Planner convert(String text) {
        return ALL.stream()
                .filter(planner -> planner.name().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("unknown planner '" + text + "'; known are "
                        + ALL.stream().map(Planner::name).collect(Collectors.joining(", "))));
    }
}
