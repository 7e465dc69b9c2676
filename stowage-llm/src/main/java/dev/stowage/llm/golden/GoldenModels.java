package dev.stowage.llm.golden;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.zip.GZIPInputStream;

/** A file of recorded cases for one or several models: a JSON document, plain or compressed with gzip. */
public final class GoldenModels {

    private static final int GZIP_MAGIC = 0x8b1f;

    private final String name;
    private final SequencedMap<String, List<GoldenCase>> byModel;

    private GoldenModels(String name, SequencedMap<String, List<GoldenCase>> byModel) {
        this.name = name;
        this.byModel = byModel;
    }

    /**
     * Reads a file.
     *
     * @throws MalformedDataException if it cannot be read, or is none
     */
    public static GoldenModels read(Path file) {
        try (InputStream stream = Files.newInputStream(file)) {
            return read(file.toString(), stream);
        } catch (NoSuchFileException e) {
            throw new MalformedDataException("no such file: " + file, e);
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be read: " + e, e);
        }
    }

    /** Reads a stream to its end; the name is for messages. */
    public static GoldenModels read(String name, InputStream stream) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(stream);
        buffered.mark(2);
        int magic = buffered.read() | buffered.read() << Byte.SIZE;
        buffered.reset();
        InputStream plain = magic == GZIP_MAGIC ? new GZIPInputStream(buffered) : buffered;
        String text = new String(plain.readAllBytes(), StandardCharsets.UTF_8);
        try {
            SequencedMap<String, List<GoldenCase>> byModel = new LinkedHashMap<>();
            for (JsonCursor model : JsonReader.parse(text).cursor().elements()) {
                List<GoldenCase> cases = new ArrayList<>();
                for (JsonCursor each : model.get("cases").elements()) {
                    cases.add(readCase(each));
                }
                byModel.put(model.get("model").asString(), List.copyOf(cases));
            }
            return new GoldenModels(name, byModel);
        } catch (MalformedDataException e) {
            throw new MalformedDataException(name + ": " + e.getMessage(), e);
        }
    }

    private static GoldenCase readCase(JsonCursor json) {
        List<JsonCursor> recorded = json.get("logits").elements();
        float[] logits = new float[recorded.size()];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) recorded.get(i).asDouble();
        }
        return new GoldenCase(
                json.get("prompt").asString(),
                json.get("tokens").asInts(),
                json.get("nll").asDouble(),
                logits,
                json.get("greedy").asInts(),
                json.get("text").asString());
    }

    /** The names of the models there are cases for. */
    public List<String> names() {
        return List.copyOf(byModel.keySet());
    }

    /**
     * The cases of a model.
     *
     * @throws MalformedDataException if there are none for it; the message lists the models there are
     */
    public List<GoldenCase> cases(String model) {
        List<GoldenCase> cases = byModel.get(model);
        if (cases == null) {
            throw new MalformedDataException(
                    name + " has no cases for '" + model + "'; it has some for " + String.join(", ", names()));
        }
        return cases;
    }
}
