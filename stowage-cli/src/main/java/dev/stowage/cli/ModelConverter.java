package dev.stowage.cli;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ModelShapes;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a model by its name, upper or lower case. */
final class ModelConverter implements ITypeConverter<ModelShape> {
    /** The names there are, for completion. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ModelShapes.all().stream().map(ModelShape::name).iterator();
        }
    }

    @Override
    public ModelShape convert(String text) {
        try {
            return ModelShapes.named(text);
        } catch (InvalidGraphException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
