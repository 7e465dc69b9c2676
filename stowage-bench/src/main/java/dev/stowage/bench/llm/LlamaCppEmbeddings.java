package dev.stowage.bench.llm;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * Records the vectors that llama.cpp makes of texts, as expected results of tests: {@code [--flash | --tokens] DIR OUT.json.gz
 * TEXTS.json MODEL.gguf...}, where the folder has llama.cpp's libraries and the texts are an array of strings. For every model
 * and text there are the tokens and, unless only these are asked for, the vector of the text by itself, and the vector where
 * all texts go through the model together.
 */
public final class LlamaCppEmbeddings {

    private static final String FLASH = "--flash";
    private static final String TOKENS = "--tokens";
    private static final MathContext SIX_DIGITS = new MathContext(6);

    private final LlamaLibrary library;
    private final FlashAttention flash;
    private final boolean onlyTokens;
    private final List<String> texts;

    private LlamaCppEmbeddings(LlamaLibrary library, String option, List<String> texts) {
        this.library = library;
        this.flash = option.equals(FLASH) ? FlashAttention.ON : FlashAttention.OFF;
        this.onlyTokens = option.equals(TOKENS);
        this.texts = texts;
    }

    /** Computes and writes. */
    public static void main(String... options) throws IOException {
        String option = options.length > 0 && options[0].startsWith("--") ? options[0] : "";
        String[] arguments = option.isEmpty() ? options : Arrays.copyOfRange(options, 1, options.length);
        if (arguments.length < 4) {
            throw new MalformedDataException(
                    "name the folder with llama.cpp's libraries, the file to write, a file with texts, and models");
        }
        List<String> texts = JsonReader.parse(Files.readString(Path.of(arguments[2]))).cursor().elements().stream()
                .map(JsonCursor::asString)
                .toList();
        LlamaLibrary library = LlamaLibrary.open(Path.of(arguments[0]));
        System.out.println(library);
        LlamaCppEmbeddings recorder = new LlamaCppEmbeddings(library, option, texts);
        try (Writer out = new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(Path.of(arguments[1]))), StandardCharsets.UTF_8)) {
            JsonWriter json = JsonWriter.compact(out);
            json.beginArray();
            for (String model : Arrays.asList(arguments).subList(3, arguments.length)) {
                recorder.write(Path.of(model), json);
            }
            json.endArray();
            json.finish();
        }
    }

    private void write(Path file, JsonWriter json) {
        System.out.println(file);
        json.beginObject();
        json.name("model").value(String.valueOf(file.getFileName()).replaceFirst("\\.gguf$", ""));
        json.name("cases").beginArray();
        try (LlamaModel model = library.load(file)) {
            LlamaEmbedder embedder = model.embedder();
            List<int[]> tokens = texts.stream().map(model::tokenize).toList();
            List<float[]> together = onlyTokens ? List.of() : embedder.embed(tokens, flash);
            for (int i = 0; i < texts.size(); i++) {
                json.beginObject();
                json.name("text").value(texts.get(i));
                json.name("tokens").beginArray();
                for (int token : tokens.get(i)) {
                    json.value(token);
                }
                json.endArray();
                if (!onlyTokens) {
                    List<float[]> alone = embedder.embed(List.of(tokens.get(i)), flash);
                    vector("alone", alone.getFirst(), json);
                    vector("together", together.get(i), json);
                }
                json.endObject();
            }
        }
        json.endArray();
        json.endObject();
    }

    private static void vector(String name, float[] vector, JsonWriter json) {
        json.name(name).beginArray();
        for (float each : vector) {
            json.value(new BigDecimal(each).round(SIX_DIGITS).doubleValue());
        }
        json.endArray();
    }
}
