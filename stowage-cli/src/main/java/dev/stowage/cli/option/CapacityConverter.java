package dev.stowage.cli.option;

import dev.stowage.cli.text.ByteCount;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how much memory there is, as a plain number of bytes or with a unit. */
public final class CapacityConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        String plain = text.strip();
        OptionalLong bytes = plain.matches("0+") ? OptionalLong.of(0) : ByteCount.parse(unitAdded(plain));
        return bytes.orElseThrow(() -> new TypeConversionException(
                "'" + text + "' is not a number of bytes, such as 1048576, 1024KiB or 1.5MiB"));
    }

    private static String unitAdded(String text) {
        return text.matches("\\d+") ? text + "B" : text;
    }
}
