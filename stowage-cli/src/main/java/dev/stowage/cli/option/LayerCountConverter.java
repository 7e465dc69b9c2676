package dev.stowage.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how many layers a device gets: a whole number, maybe 0. */
public final class LayerCountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            int count = Integer.parseInt(text.strip());
            if (count >= 0) {
                return count;
            }
        } catch (NumberFormatException _) {
            // answered below, like the numbers below 0
        }
        throw new TypeConversionException("'" + text + "' is no number of layers: say 0 or more for each device");
    }
}
