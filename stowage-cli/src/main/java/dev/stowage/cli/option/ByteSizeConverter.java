package dev.stowage.cli.option;

import dev.stowage.cli.text.ByteSize;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of bytes above 0, which must have a unit; {@link UnitOptional} also takes plain numbers and 0. */
public final class ByteSizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        return ByteSize.parse(text)
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is not a number of bytes with a unit, such as 512MiB, 1.5G or 4096B"));
    }

    /** Parses a number of bytes, plain or with a unit. */
    public static final class UnitOptional implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            String size = text.strip();
            OptionalLong bytes =
                    size.matches("0+") ? OptionalLong.of(0) : ByteSize.parse(size.matches("\\d+") ? size + "B" : size);
            return bytes.orElseThrow(() -> new TypeConversionException(
                    "'" + text + "' is not a number of bytes, such as 1048576, 1024KiB or 1.5MiB"));
        }
    }
}
