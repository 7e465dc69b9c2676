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
            "tiny-qwen3moe-wide",
            "tiny-gemma2",
            "tiny-gemma2-wide",
            "tiny-gemma3",
            "tiny-gemma3-wide",
            "tiny-gemma3-whole",
            "tiny-gemma3-linear",
            "tiny-phi",
            "tiny-phi-plain",
            "tiny-phi-long",
            "tiny-phi-short",
            "tiny-phi-wide",
            "tiny-phi4-mini",
            "tiny-smollm3",
            "tiny-smollm3-wide",
            "tiny-olmo2",
            "tiny-olmo2-wide",
            "tiny-olmo3",
            "tiny-granite",
            "tiny-granite-wide",
            "tiny-granite-ropeless",
            "tiny-granitemoe",
            "tiny-granitemoe-shared",
            "tiny-minicpm",
            "tiny-gpt-oss",
            "tiny-gpt-oss-wide",
            "tiny-bert",
            "tiny-bert-mean",
            "tiny-bert-wide",
            "tiny-nomic-bert",
            "tiny-nomic-bert-wide");

    @Override
    public Iterator<String> iterator() {
        return NAMES.iterator();
    }
}
