package dev.stowage.cli.bench;

import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What measures llama.cpp on the same work: its own program where it is there, else its library. */
sealed interface LlamaCpp permits LlamaBench, LlamaLibraryRuns {
    /**
     * What both sides do alike.
     *
     * @param model the file
     * @param repetitions how often each case is measured
     * @param batch how many tokens go through the model at once, at most
     * @param cacheType the element type of keys and values
     * @param flash whether attention is one fused op
     */
    record Work(Path model, int repetitions, int batch, ElementType cacheType, boolean flash) {}

    /**
     * Checks that it can measure a case.
     *
     * @throws MalformedDataException if not
     */
    void require(ModelBenchCase test);

    /**
     * Measures cases with the same number of threads.
     *
     * @return a result for each, in the same order
     * @throws MalformedDataException if that fails
     */
    List<BenchResult> measure(List<ModelBenchCase> cases, Work work);

    /**
     * What there is in a folder, or in {@code bin} or {@code build/bin} below it.
     *
     * @throws MalformedDataException if there is nothing
     */
    static LlamaCpp in(Path folder) {
        List<Path> places = List.of(folder, folder.resolve("bin"), folder.resolve("build/bin"));
        for (Path place : places) {
            for (String name : List.of("llama-bench", "llama-bench.exe")) {
                Path program = place.resolve(name);
                if (Files.isRegularFile(program) && Files.isExecutable(program)) {
                    return new LlamaBench(program.toAbsolutePath());
                }
            }
        }
        for (Path place : places) {
            if (hasLibrary(place)) {
                return LlamaLibraryRuns.in(place);
            }
        }
        throw new MalformedDataException("there is no program 'llama-bench' to compare with in " + folder
                + ", nor in bin or build/bin below it, nor a libllama.so: name the folder where llama.cpp was built or"
                + " unpacked");
    }

    private static boolean hasLibrary(Path folder) {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (DirectoryStream<Path> libraries = Files.newDirectoryStream(folder, "libllama.{so,*.so}")) {
            return libraries.iterator().hasNext();
        } catch (IOException e) {
            throw new UncheckedIOException(folder + " cannot be listed: " + e.getMessage(), e);
        }
    }
}
