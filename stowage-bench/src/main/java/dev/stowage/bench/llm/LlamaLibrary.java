package dev.stowage.bench.llm;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.stowage.bench.ggml.GgmlFolder;
import dev.stowage.bench.ggml.NativeLibrary;
import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * llama.cpp, loaded into this process, with the CPU backend it takes for this processor by itself, or the one that
 * {@value GgmlFolder#CPU_PROPERTY} names. It is never unloaded.
 */
public final class LlamaLibrary {

    private final LlamaFunctions functions;
    private final LlamaLog log;

    private LlamaLibrary(LlamaFunctions functions, LlamaLog log) {
        this.functions = functions;
        this.log = log;
    }

    /**
     * The library in that folder.
     *
     * @throws MalformedDataException if it is not there or is not the llama.cpp that is known here
     */
    public static LlamaLibrary open(Path folder) {
        Path home = folder.toAbsolutePath();
        NativeLibrary ggml = new NativeLibrary(library(home, "libggml"), Arena.global());
        NativeLibrary llama = new NativeLibrary(library(home, "libllama"), Arena.global());
        LlamaLog log = LlamaLog.listeningTo(llama);
        loadProcessor(ggml, home);
        try {
            llama.function("llama_backend_init", null).invokeExact();
        } catch (MalformedDataException e) {
            throw e;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
        LlamaLibrary library = new LlamaLibrary(new LlamaFunctions(llama), log);
        library.requireKnown();
        return library;
    }

    /** A library by its name, which may have a version in it: {@code libllama.so}, {@code libllama.v0.5.0.so}. */
    private static Path library(Path folder, String name) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, name + ".{so,*.so}")) {
            for (Path file : found) {
                return file;
            }
        } catch (IOException e) {
            throw new MalformedDataException(folder + " cannot be listed: " + e, e);
        }
        throw new MalformedDataException(
                "there is no " + name + ".so in " + folder + ": name the folder that holds it");
    }

    private static void loadProcessor(NativeLibrary ggml, Path folder) {
        String variant = System.getProperty(GgmlFolder.CPU_PROPERTY);
        try (Arena arena = Arena.ofConfined()) {
            if (variant == null) {
                ggml.function("ggml_backend_load_all_from_path", null, ADDRESS)
                        .invokeExact(arena.allocateFrom(folder.toString()));
            } else {
                Path file = folder.resolve("libggml-cpu-" + variant + ".so");
                MemorySegment loaded = (MemorySegment) ggml.function("ggml_backend_load", ADDRESS, ADDRESS)
                        .invokeExact(arena.allocateFrom(file.toString()));
                if (loaded.equals(MemorySegment.NULL)) {
                    throw new MalformedDataException(file + " is not a CPU backend that runs here");
                }
            }
        } catch (MalformedDataException e) {
            throw e;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    private void requireKnown() {
        try (Arena arena = Arena.ofConfined()) {
            LlamaStructs.requireKnown(functions.modelDefaults(arena), functions.contextDefaults(arena));
        }
    }

    /**
     * Opens a model.
     *
     * @throws MalformedDataException if llama.cpp does not take it
     */
    public LlamaModel load(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment model = functions.loadModel(file, functions.modelDefaults(arena), arena);
            if (model.equals(MemorySegment.NULL)) {
                throw new MalformedDataException("llama.cpp does not take " + file + ": " + log.lastError());
            }
            return new LlamaModel(functions, log, model);
        }
    }

    /** Which of the CPU backends is loaded: {@code zen4}, {@code haswell}. */
    public String cpuVariant() {
        try {
            List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
            return maps.stream()
                    .filter(line -> line.contains("libggml-cpu"))
                    .findFirst()
                    .map(line -> line.replaceFirst(".*libggml-cpu-?", "").replaceFirst("\\.so.*", ""))
                    .orElse("none");
        } catch (IOException e) {
            throw new MalformedDataException("what is loaded cannot be found out: " + e, e);
        }
    }

    @Override
    public String toString() {
        return "llama.cpp " + functions.version() + " with the CPU backend " + cpuVariant();
    }
}
