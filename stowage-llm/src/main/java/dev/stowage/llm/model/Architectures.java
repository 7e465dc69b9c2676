package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The architectures that are known: those of this library, and those found as services. */
public final class Architectures {

    private static final List<Architecture> OWN = List.of(
            new Llama(),
            new Qwen2(),
            new Qwen3(),
            new Qwen3Experts(),
            new Gemma2(),
            new Gemma3(),
            new Phi3(),
            new SmolLm3(),
            new Olmo2(),
            new Granite("granite"),
            new Granite("granitemoe"),
            new GptOss(),
            new Bert(),
            new NomicBert());

    private Architectures() {}

    /** All of them, this library's first. */
    public static List<Architecture> all() {
        List<Architecture> all = new ArrayList<>(OWN);
        ServiceLoader.load(Architecture.class).forEach(all::add);
        return all;
    }

    /**
     * The architecture of that name.
     *
     * @throws MalformedDataException if it is not known; the message lists those that are
     */
    public static Architecture named(String name) {
        for (Architecture own : OWN) {
            if (own.name().equals(name)) {
                return own;
            }
        }
        List<Architecture> all = all();
        return all.stream()
                .filter(architecture -> architecture.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new MalformedDataException("models of the architecture '" + Printable.brief(name)
                        + "' cannot be run here; known are "
                        + all.stream().map(Architecture::name).collect(Collectors.joining(", "))));
    }
}
