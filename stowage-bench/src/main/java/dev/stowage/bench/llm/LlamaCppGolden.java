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
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * Records what llama.cpp computes, as expected results of tests: {@code [--flash] DIR OUT.json.gz PROMPTS.json
 * MODEL.gguf...}, where the folder has llama.cpp's libraries and the prompts are an array of strings. For every model and
 * prompt there are the tokens, the logits after the last one, how likely the prompt is, and what would follow it. Plain
 * attention computes them, or flash attention where that is asked for.
 */
public final class LlamaCppGolden {

    private static final String FLASH = "--flash";
    private static final int MOST_GREEDY = 48;
    private static final MathContext SIX_DIGITS = new MathContext(6);

    private final LlamaLibrary library;
    private final FlashAttention flash;
    private final List<String> prompts;

    private LlamaCppGolden(LlamaLibrary library, FlashAttention flash, List<String> prompts) {
        this.library = library;
        this.flash = flash;
        this.prompts = prompts;
    }

    /** Computes and writes. */
    public static void main(String... options) throws IOException {
        boolean isFlash = options.length > 0 && options[0].equals(FLASH);
        String[] arguments = isFlash ? Arrays.copyOfRange(options, 1, options.length) : options;
        if (arguments.length < 4) {
            throw new MalformedDataException(
                    "name the folder with llama.cpp's libraries, the file to write, a file with"
                            + " prompts, and models");
        }
        List<String> prompts = JsonReader.parse(Files.readString(Path.of(arguments[2]))).cursor().elements().stream()
                .map(JsonCursor::asString)
                .toList();
        LlamaLibrary library = LlamaLibrary.open(Path.of(arguments[0]));
        System.out.println(library);
        LlamaCppGolden golden = new LlamaCppGolden(library, isFlash ? FlashAttention.ON : FlashAttention.OFF, prompts);
        try (Writer out = new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(Path.of(arguments[1]))), StandardCharsets.UTF_8)) {
            JsonWriter json = JsonWriter.compact(out);
            json.beginArray();
            for (String model : Arrays.asList(arguments).subList(3, arguments.length)) {
                golden.write(Path.of(model), json);
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
            prompts.forEach(prompt -> write(LlamaCase.of(model, prompt, MOST_GREEDY, flash), json));
        }
        json.endArray();
        json.endObject();
    }

    private static void write(LlamaCase result, JsonWriter json) {
        json.beginObject();
        json.name("prompt").value(result.prompt());
        json.name("tokens").beginArray();
        result.tokens().forEach(json::value);
        json.endArray();
        json.name("nll")
                .value(BigDecimal.valueOf(result.surprise())
                        .setScale(6, RoundingMode.HALF_EVEN)
                        .doubleValue());
        json.name("logits").beginArray();
        result.logits()
                .forEach(logit ->
                        json.value(new BigDecimal(logit).round(SIX_DIGITS).doubleValue()));
        json.endArray();
        json.name("greedy").beginArray();
        result.greedy().forEach(json::value);
        json.endArray();
        json.name("text").value(result.text());
        json.endObject();
    }
}
