package dev.stowage.cuda.compile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Compiles the kernels of this module with NVRTC: machine code for the architectures there is a build for, PTX for later
 * ones, and a list of all kernels with the types of their parameters. {@code compile-kernels} runs it from source.
 *
 * <p>Arguments: the folder with NVRTC, the folder of sources, the folder of results; with {@code --check} as a fourth
 * nothing is written, and the exit code says whether the results are what the sources give.
 */
final class CompileKernels {

    /** Machine code for sm_80 also runs on sm_86, that for sm_89 on no other; sm_90a has Hopper's own instructions. */
    private static final List<String> ARCHITECTURES = List.of("sm_80", "sm_89", "sm_90a");

    private static final String HOPPER = "sm_90a";
    /** What a GPU without machine code here compiles when it loads a module. */
    private static final String PORTABLE = "compute_80";

    private final Nvrtc nvrtc;
    private final Path sources;
    /** The results by their path. */
    private final Map<String, byte[]> results = new TreeMap<>();

    private final List<String> signatures = new ArrayList<>();

    private CompileKernels(Nvrtc nvrtc, Path sources) {
        this.nvrtc = nvrtc;
        this.sources = sources;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 3) {
            System.err.println("usage: CompileKernels NVRTC_FOLDER SOURCES RESULTS [--check]");
            System.exit(2);
        }
        Path target = Path.of(arguments[2]);
        try (Nvrtc nvrtc = Nvrtc.in(Path.of(arguments[0]))) {
            CompileKernels compilation = new CompileKernels(nvrtc, Path.of(arguments[1]));
            compilation.compileAll();
            if (arguments.length > 3 && arguments[3].equals("--check")) {
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
        try (Stream<Path> files = Files.list(sources)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".cu")).sorted().toList()) {
                compile(file);
            }
        }
        results.put("kernels.txt", (String.join("\n", signatures) + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private void compile(Path file) throws IOException {
        String text = Files.readString(file);
        String name = file.getFileName().toString().replace(".cu", "");
        boolean isHopperOnly = name.endsWith("_sm90");
        String ptx = new String(
                        nvrtc.compile(file, text, sources, isHopperOnly ? "compute_90a" : PORTABLE),
                        StandardCharsets.US_ASCII)
                .replace("\0", "");
        for (String signature : PtxSignatures.of(ptx)) {
            String[] parts = signature.split(" ", 2);
            signatures.add(parts[0] + " " + name + " " + parts[1]);
        }
        if (!isHopperOnly) {
            results.put(PORTABLE + "/" + name + ".ptx", ptx.getBytes(StandardCharsets.US_ASCII));
        }
        for (String architecture : isHopperOnly ? List.of(HOPPER) : ARCHITECTURES) {
            results.put(architecture + "/" + name + ".cubin", nvrtc.compile(file, text, sources, architecture));
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
            Files.write(file, result.getValue());
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
                if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), bytes)) {
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

    private static List<Path> filesIn(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
