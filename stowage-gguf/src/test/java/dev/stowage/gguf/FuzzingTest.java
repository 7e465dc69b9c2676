package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.code_intelligence.jazzer.Jazzer;
import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import dev.stowage.tensor.Tensor;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fuzzing, guided by coverage, of what reads the head of a file: so many runs from a fixed seed, in a process of its own
 * with little memory, because Jazzer changes the classes it looks at and ends the process it runs in.
 */
class FuzzingTest {

    private static final int RUNS = 200_000;
    private static final int LONGEST = 2048;

    @TempDir
    private Path folder;

    /** Inputs that once went wrong, and one of every kind that is right. */
    static Stream<Path> keptInputs() throws IOException {
        try (Stream<Path> files = Files.list(TestFiles.resource("fuzz"))) {
            return files.sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("keptInputs")
    void inputsThatWereFoundAreReadOrRefused(Path input) throws IOException {
        byte[] bytes = Files.readAllBytes(input);

        assertThatCode(() -> HeaderFuzzer.fuzzerTestOneInput(bytes)).doesNotThrowAnyException();
    }

    @Test
    void noInputIsFoundThatIsNeitherReadNorRefused() throws Exception {
        Path corpus = Files.createDirectory(folder.resolve("corpus"));
        Files.write(corpus.resolve("rich"), RichFile.bytes());
        for (Path kept : keptInputs().toList()) {
            Files.copy(kept, corpus.resolve(kept.getFileName()));
        }
        Process process = new ProcessBuilder(command(corpus))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();

        int exitCode = process.waitFor();

        String log = Files.readString(folder.resolve("log"), StandardCharsets.ISO_8859_1);
        assertThat(exitCode).as(tail(log)).isZero();
        assertThat(log).contains("Done " + RUNS + " runs");
    }

    private static List<String> command(Path corpus) {
        String classes = Stream.of(
                        Jazzer.class, FuzzedDataProvider.class, HeaderFuzzer.class, GgufHeader.class, Tensor.class)
                .map(FuzzingTest::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes,
                Jazzer.class.getName(),
                "--target_class=" + HeaderFuzzer.class.getName(),
                "--instrumentation_includes=dev.stowage.gguf.**",
                "-runs=" + RUNS,
                "-seed=1",
                "-max_len=" + LONGEST,
                corpus.toString());
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static String tail(String log) {
        return log.substring(Math.max(0, log.length() - 8000));
    }
}
