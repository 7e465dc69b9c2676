package dev.stowage.bench.ggml;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ggml, loaded into this process: its base library, and of the CPU backends that come with it the one ggml itself
 * would take here, or the one that {@value GgmlFolder#CPU_PROPERTY} names. What is known about its structs and op codes
 * is checked against the library when it is opened.
 *
 * <p>A library is never unloaded: nothing says that ggml's threads and static data would survive that.
 */
public final class GgmlLibrary {

    private static final String CPU_LIBRARIES = "libggml-cpu*.so";

    private final NativeLibrary base;
    private final NativeLibrary cpu;
    private final GgmlFunctions functions;
    private final GgmlBackendFunctions backends;
    private final GgmlSchedulerFunctions schedulers;
    private final GgmlMemoryFunctions memory;
    private final GgmlThreadFunctions threads;
    private final GgmlOps ops;
    private final GgmlOpParameters opParameters;
    private @Nullable NoOpLibrary noOps;

    private GgmlLibrary(NativeLibrary base, NativeLibrary cpu) {
        this.base = base;
        this.cpu = cpu;
        this.functions = new GgmlFunctions(base);
        this.backends = new GgmlBackendFunctions(base, cpu);
        this.schedulers = new GgmlSchedulerFunctions(base);
        this.memory = new GgmlMemoryFunctions(base);
        this.threads = new GgmlThreadFunctions(base, cpu);
        this.ops = new GgmlOps(functions);
        GgmlStructCheck.check(functions, ops);
        this.opParameters = new GgmlOpParameters(new GgmlFunctionCodes(functions));
    }

    /** The library in {@link GgmlFolder#find()}. */
    public static GgmlLibrary open() {
        return open(GgmlFolder.find());
    }

    /**
     * The library in that folder.
     *
     * @throws MalformedDataException if it is not there or is not the ggml that is known here
     */
    public static GgmlLibrary open(Path folder) {
        // The CPU backends need the base library and find the one that is already there.
        NativeLibrary base = new NativeLibrary(folder.resolve(GgmlFolder.BASE_LIBRARY), Arena.global());
        return new GgmlLibrary(base, new NativeLibrary(cpuLibrary(folder), Arena.global()));
    }

    /** Has ggml keep what it would print about its work to itself; what it says before it ends the process is heard. */
    public GgmlLibrary silenced() {
        GgmlLog.silence(base);
        return this;
    }

    /** The CPU backend that is asked for, or the best one. */
    private static Path cpuLibrary(Path folder) {
        String named = System.getProperty(GgmlFolder.CPU_PROPERTY);
        return named == null ? bestCpuLibrary(folder) : folder.resolve("libggml-cpu-" + named + ".so");
    }

    private static Path bestCpuLibrary(Path folder) {
        Path best = null;
        int bestScore = 0;
        for (Path candidate : cpuLibraries(folder)) {
            int score = score(candidate);
            if (score > bestScore) {
                bestScore = score;
                best = candidate;
            }
        }
        if (best == null) {
            throw new MalformedDataException("no " + CPU_LIBRARIES + " in " + folder + " runs on this processor");
        }
        return best;
    }

    private static List<Path> cpuLibraries(Path folder) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, CPU_LIBRARIES)) {
            List<Path> libraries = new ArrayList<>();
            found.forEach(libraries::add);
            libraries.sort(null);
            return libraries;
        } catch (IOException e) {
            throw new MalformedDataException(folder + " cannot be listed: " + e, e);
        }
    }

    /** How well a CPU backend uses this processor by its own account; 0 if it needs what the processor lacks. */
    private static int score(Path library) {
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle score = new NativeLibrary(library, arena).function("ggml_backend_score", ValueLayout.JAVA_INT);
            return (int) score.invokeExact();
        } catch (MalformedDataException e) {
            throw e;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The version and the commit ggml says it was built from. */
    public String version() {
        return functions.version() + " (" + functions.commit() + ")";
    }

    /** The file of the base library. */
    public Path baseFile() {
        return base.file();
    }

    /** Which of the CPU backends it is: {@code zen4}, {@code haswell}. */
    public String cpuVariant() {
        return String.valueOf(cpu.file().getFileName())
                .replaceFirst("^libggml-cpu-?", "")
                .replaceFirst("\\.so$", "");
    }

    /** The file of the CPU backend. */
    public Path cpuFile() {
        return cpu.file();
    }

    public GgmlFunctions functions() {
        return functions;
    }

    public GgmlBackendFunctions backends() {
        return backends;
    }

    public GgmlSchedulerFunctions schedulers() {
        return schedulers;
    }

    public GgmlMemoryFunctions memory() {
        return memory;
    }

    public GgmlThreadFunctions threads() {
        return threads;
    }

    /** Devices that do nothing, compiled the first time they are asked for. */
    public NoOpLibrary noOps() {
        NoOpLibrary made = noOps;
        if (made == null) {
            made = NoOpLibrary.compile(functions);
            noOps = made;
        }
        return made;
    }

    /** What the CPU backend computes wrongly. */
    public GgmlLimits limits() {
        return new GgmlLimits(cpu);
    }

    public GgmlOps ops() {
        return ops;
    }

    public GgmlOpParameters opParameters() {
        return opParameters;
    }

    @Override
    public String toString() {
        return "ggml " + version() + " with " + cpu.file().getFileName();
    }
}
