package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The compiler directives match all kernels, and no file of them stays in the folder for temporary files, however the
 * process goes on.
 */
class CompilerRulesTest {

    @TempDir
    private Path folder;

    @Test
    void noFileStaysWhenTheJvmHasTakenTheDirectives() throws IOException, InterruptedException {
        assertThat(run()).noneMatch(line -> line.contains("compiler directive"));
        assertThat(files()).isEmpty();
    }

    @Test
    void noFileStaysWhenTheJvmRefusesTheDirectives() throws IOException, InterruptedException {
        // The limit counts the directives that the JVM has by itself.
        assertThat(run("-XX:+UnlockDiagnosticVMOptions", "-XX:CompilerDirectivesLimit=1"))
                .anyMatch(line -> line.contains("refused a compiler directive"));
        assertThat(files()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {ExitingServerBuilder.WHEN_MADE, ExitingServerBuilder.WHEN_ADDING})
    void noFileStaysWhenTheProcessEndsMeanwhile(String when) throws IOException, InterruptedException {
        List<String> lines = run(
                "-Djavax.management.builder.initial=" + ExitingServerBuilder.class.getName(),
                "-D" + ExitingServerBuilder.WHEN + "=" + when);

        assertThat(lines).as("the process ended early").noneMatch(line -> line.startsWith("processor "));
        assertThat(files()).isEmpty();
    }

    @Test
    void theDirectivesMatchEveryClassOfTheKernelPackages() {
        String prefix = CompilerRules.KERNELS.substring(0, CompilerRules.KERNELS.length() - "*.*".length());
        List<JavaClass> vectorised = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("dev.stowage.cpu.kernel")
                        .stream()
                        .toList();

        // The JVM takes a star at the end for any rest of a name, further packages included.
        assertThat(CompilerRules.KERNELS).endsWith("/*.*");
        assertThat(vectorised).hasSizeGreaterThan(80);
        assertThat(vectorised).allMatch(each -> each.getName().replace('.', '/').startsWith(prefix));
    }

    @Test
    void everyMethodThatIsToBeInlinedExists() throws ClassNotFoundException {
        for (String pattern : CompilerRules.INLINED) {
            int dot = pattern.indexOf('.');
            Class<?> type = Class.forName(pattern.substring(0, dot).replace('/', '.'));
            String method = pattern.substring(dot + 1);
            assertThat(type.getDeclaredMethods())
                    .as(pattern)
                    .anyMatch(each -> method.equals("*") || each.getName().equals(method));
        }
    }

    private List<String> run(String... options) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + folder));
        all.addAll(List.of(options));
        try (JavaProcess process = JavaProcess.start(all, ListedDevices.class)) {
            return process.lines();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
