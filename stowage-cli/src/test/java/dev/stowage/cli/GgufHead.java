package dev.stowage.cli;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Files that hold the head of a model and none of its data, as if the download had just begun. */
public final class GgufHead {
    private GgufHead() {}

    /** The tensors of a model whose names pass. */
    public static List<TensorSpec> tensors(GgufContents model, Predicate<String> names) {
        return model.tensors().values().stream()
                .filter(tensor -> names.test(tensor.name()))
                .map(GgufHead::spec)
                .toList();
    }

    private static TensorSpec spec(GgufTensor tensor) {
        return TensorSpec.of(
                tensor.name(),
                tensor.type(),
                tensor.shape().d0(),
                tensor.shape().d1());
    }

    /** Writes a head alone. */
    public static Path write(Path file, GgufMetadata metadata, List<TensorSpec> tensors) throws IOException {
        Path beside = Files.createTempDirectory(file.toAbsolutePath().getParent(), "whole");
        try (GgufWriter _ = GgufWriter.create(beside.resolve("model.gguf"), metadata, tensors);
                Stream<Path> unfinished = Files.list(beside)) {
            Path written = unfinished.findFirst().orElseThrow();
            cut(written, GgufHeader.read(written).dataOffset(), file);
        }
        return file;
    }

    /** Copies the first bytes of a file. */
    public static Path cut(Path from, long bytes, Path to) throws IOException {
        try (InputStream in = Files.newInputStream(from)) {
            Files.write(to, in.readNBytes(Math.toIntExact(bytes)));
        }
        return to;
    }

    /** Writes the heads of a model split in two, and answers the second. */
    public static Path split(GgufContents model, Path folder) throws IOException {
        Predicate<String> early = name -> name.startsWith("blk.0.") || name.startsWith("token");
        Path last = folder;
        for (int part = 0; part < 2; part++) {
            GgufMetadata metadata = (part == 0 ? model.metadata() : GgufMetadata.empty())
                    .with("split.no", new GgufValue.Whole(GgufType.UINT16, part))
                    .with("split.count", new GgufValue.Whole(GgufType.UINT16, 2))
                    .with(
                            "split.tensors.count",
                            new GgufValue.Whole(GgufType.INT32, model.tensors().size()));
            last = write(
                    folder.resolve("model-0000" + (part + 1) + "-of-00002.gguf"),
                    metadata,
                    tensors(model, part == 0 ? early : early.negate()));
        }
        return last;
    }
}
