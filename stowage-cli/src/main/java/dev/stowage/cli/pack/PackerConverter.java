package dev.stowage.cli.pack;

import dev.stowage.packing.Packer;
import dev.stowage.packing.Packers;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a packer by its name. */
final class PackerConverter implements ITypeConverter<Packer> {

    /** The names there are, for completion. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Packers.names().iterator();
        }
    }

    @Override
    public Packer convert(String text) {
        if (!Packers.names().contains(text)) {
            throw new TypeConversionException(
                    "unknown planner '" + text + "'; known are " + String.join(", ", Packers.names()));
        }
        return Packers.named(text);
    }
}
