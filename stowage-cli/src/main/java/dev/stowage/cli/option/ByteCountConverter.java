package dev.stowage.cli.option;

import dev.stowage.cli.text.ByteCount;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of bytes, which must have a unit. */
public final class ByteCountConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        return ByteCount.parse(text)
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is not a number of bytes with a unit, such as 512MiB, 1.5G or 4096B"));
    }
}
