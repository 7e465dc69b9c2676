package dev.stowage.cuda.compile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Compiles the kernels of this module with NVRTC: machine code for the architectures there is a build for, PTX for later
 * ones, and a list of all kernels with the types of their parameters. {@code compile-kernels} runs it from source.
 *
 * <p>Arguments: the folder with NVRTC, the folder of sources, the folder of results, a folder in which compiled code is
 * kept to be used again while its source and everything it includes is the same; with {@code --check} as a fifth nothing
 * is written, and the exit code says whether the results are what the sources give.
 */
final class CompileKernels {

    private static final String HOPPER = "sm_90a";
    /** The oldest; later ones compile its PTX when they load it. */
    private static final String PORTABLE = "sm_80";
    /**
     * Machine code for sm_80 also runs on sm_86; sm_90a has Hopper's own instructions; PTX is compiled by later GPUs when
     * they load it.
     */
    private static final List<String> ALL = List.of(PORTABLE, "sm_89", HOPPER);

    private final Nvrtc nvrtc;
    private final Path sources;
    private final CompiledCache cache;
    /** The results by their path. */
    private final Map<String, byte[]> results = new TreeMap<>();

    private final List<String> signatures = new ArrayList<>();

    private CompileKernels(Nvrtc nvrtc, Path sources, CompiledCache cache) {
        this.nvrtc = nvrtc;
        this.sources = sources;
        this.cache = cache;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 4) {
            System.err.println("usage: CompileKernels NVRTC_FOLDER SOURCES RESULTS CACHE [--check]");
            System.exit(2);
        }
        Path target = Path.of(arguments[2]);
        try (Nvrtc nvrtc = Nvrtc.in(Path.of(arguments[0]))) {
            CompileKernels compilation = new CompileKernels(
                    nvrtc, Path.of(arguments[1]), new CompiledCache(Path.of(arguments[1]), Path.of(arguments[3])));
            compilation.compileAll();
            if (arguments.length > 4 && arguments[4].equals("--check")) {
                List<String> differences = compilation.differences(target);
                differences.forEach(System.err::println);
                if (!differences.isEmpty()) {
                    System.err.println("run stowage-cuda/compile-kernels and commit what it writes");
                    System.exit(1);
                }
            } else {
                compilation.write(target);
            }
            System.out.println(compilation.signatures.size() + " kernels, "
                    + compilation.results.size() + " files, "
                    + compilation.results.values().stream()
                            .mapToLong(b -> b.length)
                            .sum() + " bytes, NVRTC "
                    + nvrtc.version());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private void compileAll() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(sources)) {
            files = all.filter(file -> file.toString().endsWith(".cu")).sorted().toList();
        }
        Map<Path, Map<String, Future<Nvrtc.Code>>> compiling = new LinkedHashMap<>();
        try (ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            for (Path file : files) {
                Map<String, Future<Nvrtc.Code>> codes = new LinkedHashMap<>();
                compiling.put(file, codes);
                for (String architecture : architectures(file)) {
                    codes.put(architecture, threads.submit(() -> compile(file, architecture)));
                }
            }
        }
        compiling.forEach((file, codes) -> codes.forEach((architecture, code) -> add(file, architecture, join(code))));
        results.put("kernels.txt", (String.join("\n", signatures) + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private void add(Path file, String architecture, Nvrtc.Code code) {
        String name = file.getFileName().toString().replace(".cu", "");
        results.put(architecture + "/" + name + ".cubin.gz", code.cubin());
        if (architecture.equals(PORTABLE)) {
            results.put("ptx/" + name + ".ptx.gz", code.ptx().getBytes(StandardCharsets.US_ASCII));
        }
        if (architecture.equals(architectures(file).getFirst())) {
            for (String signature : PtxSignatures.of(code.ptx())) {
                String[] parts = signature.split(" ", 2);
                signatures.add(parts[0] + " " + name + " " + parts[1]);
            }
        }
    }

    /** What a file is compiled for. */
    private static List<String> architectures(Path file) {
        return file.toString().endsWith("_sm90.cu") ? List.of(HOPPER) : ALL;
    }

    private Nvrtc.Code compile(Path file, String architecture) throws IOException {
        return cache.get(file, architecture, text -> {
            long start = System.nanoTime();
            Nvrtc.Code code = nvrtc.compile(file, text, sources, architecture);
            System.err.printf(
                    "%s for %s: %.1f s%n", file.getFileName(), architecture, (System.nanoTime() - start) / 1e9);
            return code;
        });
    }

    private static Nvrtc.Code join(Future<Nvrtc.Code> code) {
        try {
            return code.get();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IllegalArgumentException errors ? errors : new IllegalStateException(e);
        }
    }

    private void write(Path target) throws IOException {
        for (Path old : filesIn(target)) {
            if (!results.containsKey(key(target, old))) {
                Files.delete(old);
            }
        }
        for (Map.Entry<String, byte[]> result : results.entrySet()) {
            Path file = target.resolve(result.getKey());
            Files.createDirectories(file.getParent());
            if (!Arrays.equals(stored(file), result.getValue())) {
                Files.write(file, packed(file, result.getValue()));
            }
        }
    }

    private List<String> differences(Path target) throws IOException {
        List<String> differences = new ArrayList<>();
        for (Path file : filesIn(target)) {
            if (!results.containsKey(key(target, file))) {
                differences.add(file + " comes from no source");
            }
        }
        results.forEach((key, bytes) -> {
            Path file = target.resolve(key);
            try {
                if (!Arrays.equals(stored(file), bytes)) {
                    differences.add(file + " is not what the sources give");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return differences;
    }

    private static String key(Path target, Path file) {
        return target.relativize(file).toString().replace('\\', '/');
    }

    /** Code is stored compressed; what is compared is the code, as compressors differ. */
    private static byte[] packed(Path file, byte[] bytes) throws IOException {
        if (!file.toString().endsWith(".gz")) {
            return bytes;
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    private static byte[] stored(Path file) throws IOException {
        if (!Files.exists(file)) {
            return new byte[0];
        }
        try (InputStream in = Files.newInputStream(file);
                InputStream unpacked = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            return unpacked.readAllBytes();
        }
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
