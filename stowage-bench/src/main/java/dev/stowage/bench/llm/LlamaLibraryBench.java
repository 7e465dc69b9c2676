package dev.stowage.bench.llm;

import dev.stowage.cli.bench.LlamaLibraryBenchmark;
import dev.stowage.cli.bench.LlamaLibraryRequest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures llama.cpp's library for {@code stowage bench MODEL.gguf --against DIR}, as {@link LlamaSpeed} does. */
public final class LlamaLibraryBench implements LlamaLibraryBenchmark {

    private static final long STRIDE = 7919;
    private static final double NANOS_PER_SECOND = 1e9;

    /** A library is loaded once and stays. */
    private final Map<Path, LlamaLibrary> loaded = new HashMap<>();

    @Override
    public List<Double> measure(LlamaLibraryRequest request) {
        LlamaLibrary library = loaded.computeIfAbsent(request.folder().toAbsolutePath(), LlamaLibrary::open);
        int tokens = request.prompt() + request.generated();
        FlashAttention flash = request.flash() ? FlashAttention.ON : FlashAttention.OFF;
        try (LlamaModel model = library.load(request.model());
                LlamaContext context = model.newContext(tokens, request.threads(), flash)) {
            int[] text = new int[tokens];
            Arrays.setAll(text, i -> (int) (i * STRIDE % model.vocabularySize()));
            int step = request.prompt() > 0 ? request.batch() : 1;
            run(context, text, step);
            Double[] speeds = new Double[request.repetitions()];
            Arrays.setAll(speeds, _ -> tokens * NANOS_PER_SECOND / run(context, text, step));
            return List.of(speeds);
        }
    }

    /** Runs tokens from an empty context on, so many at once, and says how many nanoseconds that took. */
    private static long run(LlamaContext context, int[] text, int step) {
        context.clear();
        long start = System.nanoTime();
        for (int from = 0; from < text.length; from += step) {
            context.run(Arrays.copyOfRange(text, from, Math.min(text.length, from + step)));
        }
        return System.nanoTime() - start;
    }
}
