package dev.stowage.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how many there are to be of something: a whole number above 0. */
public final class CountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            int count = Integer.parseInt(text);
            if (count > 0) {
                return count;
            }
        } catch (NumberFormatException _) {
            // answered below, like the numbers that are too small
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from 1 to " + Integer.MAX_VALUE);
    }
}
