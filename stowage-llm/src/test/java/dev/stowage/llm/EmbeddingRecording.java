package dev.stowage.llm;

import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** What llama.cpp was recorded to make of texts with embedding models. */
public final class EmbeddingRecording {

    /**
     * A text.
     *
     * @param tokens with those that begin and end it
     * @param alone its vector, not scaled; empty where only tokens were recorded
     * @param together the vector where all texts of the recording go through the model at once
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Case(String text, int[] tokens, float[] alone, float[] together) {}

    private final Map<String, List<Case>> byModel;

    private EmbeddingRecording(Map<String, List<Case>> byModel) {
        this.byModel = byModel;
    }

    /** The names of the models. */
    public List<String> names() {
        return List.copyOf(byModel.keySet());
    }

    /** The cases of a model. */
    public List<Case> cases(String model) {
        return Objects.requireNonNull(byModel.get(model), model);
    }

    /** Those of a file. */
    public static EmbeddingRecording read(String name) {
        try (InputStream stream = new GZIPInputStream(
                Objects.requireNonNull(EmbeddingRecording.class.getResourceAsStream("encoders/" + name), name))) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            Map<String, List<Case>> byModel = new LinkedHashMap<>();
            for (JsonCursor model : JsonReader.parse(text).cursor().elements()) {
                List<Case> cases = new ArrayList<>();
                for (JsonCursor each : model.get("cases").elements()) {
                    cases.add(new Case(
                            each.get("text").asString(),
                            each.get("tokens").asInts(),
                            vector(each, "alone"),
                            vector(each, "together")));
                }
                byModel.put(model.get("model").asString(), cases);
            }
            return new EmbeddingRecording(byModel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static float[] vector(JsonCursor json, String name) {
        if (json.find(name).isEmpty()) {
            return new float[0];
        }
        List<JsonCursor> numbers = json.get(name).elements();
        float[] vector = new float[numbers.size()];
        for (int i = 0; i < vector.length; i++) {
            vector[i] = (float) numbers.get(i).asDouble();
        }
        return vector;
    }
}
