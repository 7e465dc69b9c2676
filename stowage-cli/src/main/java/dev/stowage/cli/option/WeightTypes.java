package dev.stowage.cli.option;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.tensor.ElementType;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * What the weights of a model are to be: one element type, or a mixture by the name that llama.cpp has for it.
 *
 * @param most the type of all matrices, or of most of them
 * @param mixture what gives some of them another type, if anything does
 */
public record WeightTypes(ElementType most, Optional<FileType> mixture) {

    /** Reads the name of a type or of a mixture, in upper or lower case. */
    public static final class Converter implements ITypeConverter<WeightTypes> {
        @Override
        public WeightTypes convert(String text) {
            try {
                return new WeightTypes(ElementType.named(text), Optional.empty());
            } catch (InvalidTensorException e) {
                return mixtures()
                        .filter(type -> type.name().equalsIgnoreCase(text))
                        .findFirst()
                        .map(type -> new WeightTypes(type.mostly(), Optional.of(type)))
                        .orElseThrow(() -> new TypeConversionException(e.getMessage() + ", and the mixtures "
                                + String.join(
                                        ", ", mixtures().map(FileType::name).toList())));
            }
        }
    }

    /** The names, for completion. */
    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(
                            dev.stowage.models.WeightTypes.weights().stream().map(ElementType::label),
                            mixtures().map(FileType::name))
                    .iterator();
        }
    }

    private static Stream<FileType> mixtures() {
        return FileType.targets().stream()
                .filter(type -> !type.name().equalsIgnoreCase(type.mostly().label()));
    }
}
