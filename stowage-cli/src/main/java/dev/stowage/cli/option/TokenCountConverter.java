package dev.stowage.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how many tokens a test has: a whole number, or 0 to leave it out. */
public final class TokenCountConverter implements ITypeConverter<Integer> {
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
        throw new TypeConversionException(
                "'" + text + "' is no number of tokens: say 1 or more, or 0 for no such test");
    }
}
