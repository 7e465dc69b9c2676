package dev.stowage.cli.bench;

import java.util.List;

/**
 * Measures llama.cpp through its library, in this process. It is found by {@link java.util.ServiceLoader}, because what
 * compares with llama.cpp is not part of the published command: the launcher of a checkout adds it when it is
 * asked for.
 */
public interface LlamaLibraryBenchmark {

    /**
     * Measures, after a run that does not count.
     *
     * @return the tokens per second of each repetition
     * @throws dev.stowage.error.StowageException if the library or the model cannot be used
     */
    List<Double> measure(LlamaLibraryRequest request);
}
