package dev.stowage.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of steps: a whole number from 0. */
public final class StepsConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        try {
            long steps = Long.parseLong(text);
            if (steps >= 0) {
                return steps;
            }
        } catch (NumberFormatException _) {
            // answered below, like the numbers that are too small
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from 0 to " + Long.MAX_VALUE);
    }
}
