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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The models that tests run: files among the resources, and quantised forms of them, which are made once. */
public final class TestModels {

    private static final Map<String, Path> FILES = new ConcurrentHashMap<>();
    private static final String LEXICON = "lexicon-5m-";
    private static final String FAMILIES = "families/";
    private static final String ENCODERS = "encoders/";
    private static final Pattern QUANTISED = Pattern.compile("(.*)-(Q8_0|Q4_K_M)");

    private TestModels() {}

    /** The file of a model by its name. */
    public static Path file(String name) {
        Path known = FILES.get(name);
        // Made outside of the map, because a quantised model is made from another one.
        return known != null ? known : FILES.merge(name, make(name), (before, _) -> before);
    }

    /** The smallest model whose text means something. */
    public static Path lexicon() {
        return file("lexicon-5m-f16");
    }

    private static Path make(String name) {
        if (name.startsWith(FAMILIES) || name.startsWith(ENCODERS)) {
            return makeOfFamily(name);
        }
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

    /** The file of a model of a family, or what quantising it gives where the name ends with a type. */
    private static Path makeOfFamily(String name) {
        Matcher quantised = QUANTISED.matcher(name);
        try {
            Path file = Files.createTempFile("stowage", name.replace('/', '-') + ".gguf");
            file.toFile().deleteOnExit();
            Files.delete(file);
            if (quantised.matches() && TestModels.class.getResource(name + ".gguf") == null) {
                Quantizer.to(FileType.named(quantised.group(2))).quantize(file(quantised.group(1)), file);
            } else {
                try (InputStream stream = open(name + ".gguf")) {
                    Files.copy(stream, file);
                }
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
    public static GoldenModels golden() {
        return golden("golden.json.gz");
    }

    /** What llama.cpp was recorded to compute with small models of random weights, whose names begin with {@code random/}. */
    public static GoldenModels goldenOfRandom() {
        return golden("random/golden.json.gz");
    }

    /** What it computes with flash attention, for the same models. */
    public static GoldenModels flash() {
        return golden("flash.json.gz");
    }

    /** What it computes with flash attention and models of random weights. */
    public static GoldenModels flashOfRandom() {
        return golden("random/flash.json.gz");
    }

    /** What it computes with models of every family, whose names begin with {@code families/}. */
    public static GoldenModels goldenOfFamilies() {
        return golden("families/golden.json.gz");
    }

    /** What it computes with flash attention and models of every family. */
    public static GoldenModels flashOfFamilies() {
        return golden("families/flash.json.gz");
    }

    /** What it computes of texts that are longer than the windows of families that have them. */
    public static GoldenModels goldenOfWindows() {
        return golden("families/windows.json.gz");
    }

    private static GoldenModels golden(String resource) {
        try (InputStream stream = open(resource)) {
            return GoldenModels.read(resource, stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The processor with its vector units. */
    public static Device cpu() {
        return DeviceRegistry.load().device("cpu");
    }
}
