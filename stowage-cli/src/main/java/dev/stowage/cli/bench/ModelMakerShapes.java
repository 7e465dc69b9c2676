package dev.stowage.cli.bench;

import java.util.Iterator;
import java.util.List;

/** The shapes of {@code stowage bench make-model}, by their names on the command line. */
public final class ModelMakerShapes implements Iterable<String> {

    /** All of them: one to measure with, and small ones that differ in what models differ in. */
    public static final List<String> NAMES = List.of(
            "tinyllama-1.1b",
            "llama-3-8b",
            "mixtral-8x7b",
            "tiny-llama",
            "tiny-llama-tied",
            "tiny-llama-heads",
            "tiny-llama-frequencies",
            "tiny-llama-linear",
            "tiny-llama-yarn",
            "tiny-llama-wide",
            "tiny-llama-moe",
            "tiny-qwen2",
            "tiny-qwen3",
            "tiny-qwen3moe",
            "tiny-qwen3moe-wide");

    @Override
    public Iterator<String> iterator() {
        return NAMES.iterator();
    }
}
