package dev.stowage.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a count: a whole number from 1. The nested converters parse counts that may be 0, or need a {@code long}. */
public final class CountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        return (int) parse(text, 1, Integer.MAX_VALUE);
    }

    /** Parses a whole number from 0. */
    public static final class OrZero implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, 0, Integer.MAX_VALUE);
        }
    }

    /** Parses a whole number from 1, or -1 for no end, which becomes the largest number. */
    public static final class OrEndless implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return text.strip().equals("-1") ? Integer.MAX_VALUE : (int) parse(text, 1, Integer.MAX_VALUE);
        }
    }

    /** Parses a whole number from 0 that may exceed an {@code int}. */
    public static final class LongOrZero implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return parse(text, 0, Long.MAX_VALUE);
        }
    }

    private static long parse(String text, long least, long most) {
        try {
            long count = Long.parseLong(text.strip());
            if (least <= count && count <= most) {
                return count;
            }
        } catch (NumberFormatException _) {
            // reported below, like a number out of range
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from " + least + " to " + most);
    }
}
