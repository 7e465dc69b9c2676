package dev.stowage.cli.plan;

import dev.stowage.cli.option.ModelFile;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ModelShapes;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a model by its name, upper or lower case, or else takes the path of a file. */
public final class ModelConverter implements ITypeConverter<ModelChoice> {
    /** The names there are, for completion. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ModelShapes.all().stream().map(ModelShape::name).iterator();
        }
    }

    /** A name that is known is that model, even where there is a file of that name. */
    @Override
    public ModelChoice convert(String text) {
        try {
            return new ModelChoice.Named(ModelShapes.named(text));
        } catch (InvalidGraphException e) {
            return file(text)
                    .<ModelChoice>map(ModelChoice.InFile::new)
                    .orElseThrow(() -> new TypeConversionException(e.getMessage() + "; and no file has that name"));
        }
    }

    /** What ends like a file of a model is meant to be one, even where it is missing. */
    private static Optional<Path> file(String text) {
        try {
            Path path = Path.of(text);
            Optional<Path> found = ModelFile.find(text);
            return found.isEmpty() && Files.exists(path) ? Optional.of(path) : found;
        } catch (InvalidPathException _) {
            return Optional.empty();
        }
    }
}
