package dev.stowage.cli.plan;

import java.util.Arrays;
import java.util.Iterator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a placement by its name. */
final class PlacementConverter implements ITypeConverter<PlacementChoice> {
    /** The names there are, for completion. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return labels().iterator();
        }
    }

    private static Stream<String> labels() {
        return Arrays.stream(PlacementChoice.values()).map(PlacementChoice::label);
    }

    @Override
    public PlacementChoice convert(String text) {
        return Arrays.stream(PlacementChoice.values())
                .filter(choice -> choice.label().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "unknown placement '" + text + "'; known are " + labels().collect(Collectors.joining(", "))));
    }
}
