package dev.stowage.bench.llm;

import dev.stowage.error.MalformedDataException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures the speed of llama.cpp with a model: {@code DIR MODEL.gguf [-p 128] [-n 32] [-t 1,2] [-r 5] [-fa
 * off|on|auto]}, where the folder has llama.cpp's libraries.
 */
public final class LlamaCppBench {

    private final List<String> arguments;

    private LlamaCppBench(List<String> arguments) {
        this.arguments = arguments;
    }

    /** Measures and prints a line for each number of threads. */
    public static void main(String... arguments) {
        if (arguments.length < 2) {
            throw new MalformedDataException("name the folder with llama.cpp's libraries and a model");
        }
        LlamaCppBench bench = new LlamaCppBench(List.of(arguments));
        LlamaLibrary library = LlamaLibrary.open(Path.of(arguments[0]));
        System.out.println(library);
        try (LlamaModel model = library.load(Path.of(arguments[1]))) {
            Arrays.stream(bench.option("-t", "1,2").split(","))
                    .mapToInt(Integer::parseInt)
                    .forEach(threads -> bench.measure(model, threads));
        }
    }

    private void measure(LlamaModel model, int threads) {
        LlamaSpeed speed = LlamaSpeed.measure(
                model,
                Integer.parseInt(option("-p", "128")),
                Integer.parseInt(option("-n", "32")),
                threads,
                Integer.parseInt(option("-r", "5")),
                FlashAttention.valueOf(option("-fa", "auto").toUpperCase(Locale.ROOT)));
        System.out.println("threads " + threads + ": prompt " + speed.prompt() + ", generation " + speed.generation());
    }

    private String option(String name, String otherwise) {
        int at = arguments.indexOf(name);
        return at < 0 || at + 1 == arguments.size() ? otherwise : arguments.get(at + 1);
    }
}
