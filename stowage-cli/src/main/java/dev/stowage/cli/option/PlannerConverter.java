package dev.stowage.cli.option;

import dev.stowage.plan.Planner;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a planner by its name. */
public final class PlannerConverter implements ITypeConverter<Planner> {

    /** The names there are, for completion. */
    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Planner.names().iterator();
        }
    }

    @Override
    public Planner convert(String text) {
        if (!Planner.names().contains(text)) {
            throw new TypeConversionException(
                    "unknown planner '" + text + "'; known are " + String.join(", ", Planner.names()));
        }
        return Planner.named(text);
    }
}
