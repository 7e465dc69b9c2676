package dev.stowage.cli.option;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an element type by the name it has in files, upper or lower case. */
public final class ElementTypeConverter implements ITypeConverter<ElementType> {
    @Override
    public ElementType convert(String text) {
        try {
            return ElementType.named(text);
        } catch (InvalidTensorException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
