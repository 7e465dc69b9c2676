package dev.stowage.cli;

import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.Quantizer;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.memory.TensorData;
import java.nio.file.Path;
import java.util.List;

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

    /** The same model with a chat template, in a folder. */
    public static Path withTemplate(String template, Path folder) {
        Path file = folder.resolve("lexicon-5m-chat.gguf");
        try (GgufFile source = GgufFile.open(F16)) {
            List<TensorSpec> specs = source.contents().tensors().values().stream()
                    .map(GgufTensor::spec)
                    .toList();
            GgufMetadata metadata = source.metadata().with(ChatTemplate.KEY, GgufValue.text(template));
            try (GgufWriter writer = GgufWriter.create(file, metadata, specs)) {
                for (TensorSpec spec : specs) {
                    writer.write(spec.name(), 0, TensorData.segment(source.tensor(spec.name())));
                }
                writer.finish();
            }
        }
        return file;
    }
}
