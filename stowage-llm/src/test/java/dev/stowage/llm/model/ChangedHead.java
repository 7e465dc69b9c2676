package dev.stowage.llm.model;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.llm.TestModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The head of a small model with other metadata and other tensors, which are never read. */
final class ChangedHead {

    private final GgufContents original;
    private final List<TensorSpec> specs;
    private GgufMetadata metadata;

    private ChangedHead(GgufContents original) {
        this.original = original;
        this.metadata = withoutTokenizer(original.metadata());
        this.specs = new ArrayList<>(
                original.tensors().values().stream().map(GgufTensor::spec).toList());
    }

    /** A blueprint does not read it, and it is most of a head. */
    private static GgufMetadata withoutTokenizer(GgufMetadata metadata) {
        GgufMetadata rest = metadata;
        for (String key : metadata.entries().keySet()) {
            rest = key.startsWith("tokenizer.") ? rest.without(key) : rest;
        }
        return rest;
    }

    static ChangedHead of(String model) {
        return new ChangedHead(GgufContents.read(TestModels.file(model)));
    }

    /** As it was, to be changed anew. */
    ChangedHead again() {
        return new ChangedHead(original);
    }

    String architecture() {
        return original.metadata().architecture();
    }

    /** With a value for a key of the architecture. */
    ChangedHead with(String key, GgufValue value) {
        metadata = metadata.with(architecture() + "." + key, value);
        return this;
    }

    ChangedHead with(String key, long value) {
        return with(key, new GgufValue.Whole(GgufType.UINT32, value));
    }

    ChangedHead with(String key, float value) {
        return with(key, new GgufValue.Float32(value));
    }

    ChangedHead without(String key) {
        metadata = metadata.without(architecture() + "." + key);
        return this;
    }

    /** The tensors, which may be changed. */
    List<TensorSpec> tensors() {
        return specs;
    }

    ChangedHead withoutTensor(String name) {
        specs.removeIf(spec -> spec.name().equals(name));
        return this;
    }

    /** Writes and reads it; a writer has written the head as soon as it is there. */
    GgufContents read(Path folder) {
        try (GgufWriter _ = GgufWriter.create(folder.resolve("head.gguf"), metadata, specs);
                Stream<Path> files = Files.list(folder)) {
            return GgufContents.read(files.findFirst().orElseThrow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
