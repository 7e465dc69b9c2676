package dev.stowage.cli.bench;

import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/** Has llama.cpp's library measure the same in this process, where the benchmark module is present. */
record LlamaLibraryRuns(Path folder, LlamaLibraryBenchmark benchmark) implements LlamaCpp {
    static LlamaLibraryRuns in(Path folder) {
        return ServiceLoader.load(LlamaLibraryBenchmark.class)
                .findFirst()
                .map(found -> new LlamaLibraryRuns(folder, found))
                .orElseThrow(() -> new MalformedDataException("there is no program 'llama-bench' in " + folder
                        + ", only the library, and the benchmark of it is not part of this installation: run ./stowage"
                        + " bench in a checkout of the sources"));
    }

    @Override
    public void require(ModelBenchCase test) {
        if (test.sequences() > 1 || test.depth() > 0) {
            throw new MalformedDataException("llama.cpp's library is measured with one sequence and from an empty"
                    + " context on, not with " + test.label() + ": leave --against away");
        }
    }

    @Override
    public List<BenchResult> measure(List<ModelBenchCase> cases, Work work) {
        if (work.cacheType() != ElementType.F16) {
            throw new MalformedDataException("llama.cpp's library is measured with keys and values in f16 only: omit"
                    + " --cache-type, or name a folder with llama-bench");
        }
        return cases.stream()
                .map(each -> new BenchResult(each, benchmark.measure(request(each, work))))
                .toList();
    }

    private LlamaLibraryRequest request(ModelBenchCase each, Work work) {
        return new LlamaLibraryRequest(
                folder,
                work.model(),
                each.prompt(),
                each.generated(),
                each.threads(),
                work.repetitions(),
                work.batch(),
                work.flash());
    }
}
