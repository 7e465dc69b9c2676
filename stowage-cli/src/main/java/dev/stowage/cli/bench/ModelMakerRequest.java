package dev.stowage.cli.bench;

import dev.stowage.gguf.quantize.FileType;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What {@code stowage bench make-model} is requested to do on the command line.
 *
 * @param out the file to write
 * @param shape the name of the model's shape
 * @param type what its weights become
 * @param seed what the weights follow from
 * @param threads how many threads make them
 * @param tokenizerFrom the model to take the tokenizer from; a made-up one where it is not named
 */
public record ModelMakerRequest(
        Path out,
        String shape,
        FileType type,
        long seed,
        int threads,
        @Nullable Path tokenizerFrom) {}
