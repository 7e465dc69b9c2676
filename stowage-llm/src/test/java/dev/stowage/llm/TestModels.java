package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.Quantizer;
import dev.stowage.llm.golden.GoldenModels;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The models that tests run: files among the resources, and quantised forms of them, which are made once. */
final class TestModels {

    private static final Map<String, Path> FILES = new ConcurrentHashMap<>();
    private static final String LEXICON = "lexicon-5m-";

    private TestModels() {}

    /** The file of a model by its name. */
    static Path file(String name) {
        return FILES.computeIfAbsent(name, TestModels::make);
    }

    /** The smallest model whose text means something. */
    static Path lexicon() {
        return file("lexicon-5m-f16");
    }

    private static Path make(String name) {
        String resource = name.startsWith(LEXICON) ? "/lexicon-5m-f16.gguf" : name + ".gguf";
        try (InputStream stream = open(resource)) {
            Path file = Files.createTempFile("stowage", name.replace('/', '-') + ".gguf");
            file.toFile().deleteOnExit();
            if (!name.startsWith(LEXICON) || name.endsWith("f16")) {
                Files.write(file, stream.readAllBytes());
            } else {
                FileType type = FileType.named(name.substring(LEXICON.length()));
                Files.delete(file);
                Quantizer.to(type).quantize(lexicon(), file);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream open(String resource) {
        return Objects.requireNonNull(TestModels.class.getResourceAsStream(resource), resource);
    }

    /** What llama.cpp was recorded to compute. */
    static GoldenModels golden() {
        return golden("golden.json.gz");
    }

    /** What llama.cpp was recorded to compute with small models of random weights, whose names begin with {@code random/}. */
    static GoldenModels goldenOfRandom() {
        return golden("random/golden.json.gz");
    }

    /** What it computes with flash attention, for the same models. */
    static GoldenModels flash() {
        return golden("flash.json.gz");
    }

    /** What it computes with flash attention and models of random weights. */
    static GoldenModels flashOfRandom() {
        return golden("random/flash.json.gz");
    }

    private static GoldenModels golden(String resource) {
        try (InputStream stream = open(resource)) {
            return GoldenModels.read(resource, stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The processor with its vector units. */
    static Device cpu() {
        return DeviceRegistry.load().device("cpu");
    }
}
