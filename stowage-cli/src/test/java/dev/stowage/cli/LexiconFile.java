package dev.stowage.cli;

import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.Quantizer;
import java.nio.file.Path;

/** A small real model, of 5 million parameters. */
public final class LexiconFile {
    /** In f16; it belongs to the tests of another module. */
    public static final Path F16 = Path.of("../stowage-gguf/src/test/resources/lexicon-5m-f16.gguf");

    private LexiconFile() {}

    /** The same model quantised into a folder. */
    public static Path quantized(String type, Path folder) {
        Path file = folder.resolve("lexicon-5m-" + type + ".gguf");
        Quantizer.to(FileType.named(type)).quantize(F16, file);
        return file;
    }
}
