package dev.stowage.cli.option;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.tensor.ElementType;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
            return mixtures()
                    .filter(type -> type.name().equalsIgnoreCase(text))
                    .findFirst()
                    .map(type -> new WeightTypes(type.mostly(), Optional.of(type)))
                    .orElseGet(() -> new WeightTypes(single(text), Optional.empty()));
        }

        private static ElementType single(String text) {
            try {
                return ElementType.named(text);
            } catch (InvalidTensorException e) {
                throw new TypeConversionException(e.getMessage() + ", and the mixtures "
                        + String.join(", ", mixtures().map(FileType::name).toList()));
            }
        }
    }

    /** Whether an element type has the name of the mixture too, and is most of it. */
    public boolean isNameOfOne() {
        return mixture.filter(type -> type.name().equalsIgnoreCase(most.label()))
                .isPresent();
    }

    /** The names, for completion. */
    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            dev.stowage.models.WeightTypes.weights().forEach(type -> names.add(type.label()));
            mixtures().forEach(type -> names.add(type.name()));
            return names.iterator();
        }
    }

    /** Quantised files have an output matrix of six bits, which is another type unless all have six bits or eight. */
    private static Stream<FileType> mixtures() {
        return FileType.targets().stream()
                .filter(type -> type.mostly().isQuantized()
                        && type.mostly() != ElementType.Q8_0
                        && type.mostly() != ElementType.Q6_K);
    }
}
