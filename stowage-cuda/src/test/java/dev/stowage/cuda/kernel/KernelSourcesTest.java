package dev.stowage.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the sources of kernels and the Java code that launches them have in common. */
class KernelSourcesTest {

    private static final Path CUDA = Path.of("src/main/cuda");
    private static final Path JAVA = Path.of("src/main/java/dev/stowage/cuda");

    private static final Pattern INCLUDE = Pattern.compile("#\\s*include\\s*(\\S+)");
    private static final Pattern LITERAL = Pattern.compile("\"([a-z0-9_K]{4,})\"");
    /** What is appended to the beginning of a name: types, sizes, numbers of vectors. */
    private static final Pattern APPENDED = Pattern.compile("(_|\\d|x\\d).*");

    @Test
    void everyKernelIsNamedByWhatLaunchesIt() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String folder : List.of("op", "memory", "program")) {
            for (Path source : sources(JAVA.resolve(folder), ".java")) {
                LITERAL.matcher(Files.readString(source)).results().forEach(found -> names.add(found.group(1)));
            }
        }

        assertThat(KernelCatalog.standard().all())
                .extracting(KernelSignature::name)
                .filteredOn(kernel -> names.stream().noneMatch(name -> isNameOf(name, kernel)))
                .isEmpty();
    }

    /** Names of kernels are put together from parts; the first of them begins the name. */
    private static boolean isNameOf(String literal, String kernel) {
        if (!kernel.startsWith(literal)) {
            return false;
        }
        String rest = kernel.substring(literal.length());
        return rest.isEmpty() || literal.endsWith("_") || APPENDED.matcher(rest).matches();
    }

    /** Those of the toolkit are under a licence of their own, and are not there when kernels are compiled. */
    @Test
    void sourcesIncludeEachOtherAndNoHeadersOfTheToolkit() throws IOException {
        Set<String> own = sources(CUDA, ".cuh").stream()
                .map(file -> '"' + file.getFileName().toString() + '"')
                .collect(Collectors.toSet());
        for (Path source : sources(CUDA, "")) {
            assertThat(INCLUDE.matcher(Files.readString(source)).results().map((MatchResult found) -> found.group(1)))
                    .as(source.toString())
                    .isSubsetOf(own);
        }
    }

    @Test
    void everyHeaderIsIncluded() throws IOException {
        Set<String> included = new TreeSet<>();
        for (Path source : sources(CUDA, "")) {
            INCLUDE.matcher(Files.readString(source)).results().forEach(found -> included.add(found.group(1)));
        }

        assertThat(sources(CUDA, ".cuh"))
                .allSatisfy(header ->
                        assertThat(included).contains('"' + header.getFileName().toString() + '"'));
    }

    @Test
    void everySourceHasKernels() throws IOException {
        Set<String> files = KernelCatalog.standard().all().stream()
                .map(kernel -> kernel.file() + ".cu")
                .collect(Collectors.toSet());

        assertThat(sources(CUDA, ".cu"))
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrderElementsOf(files);
    }

    private static List<Path> sources(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }
}
