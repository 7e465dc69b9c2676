package dev.stowage.cli.option;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.quantize.FileType;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what a model is to be quantised to, by the names llama.cpp has for it. */
public final class FileTypeConverter implements ITypeConverter<FileType> {
    @Override
    public FileType convert(String text) {
        try {
            return FileType.named(text);
        } catch (InvalidTensorException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** The names, for completion. */
    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return FileType.targets().stream().map(FileType::name).iterator();
        }
    }
}
