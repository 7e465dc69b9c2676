package dev.stowage.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Which packages of this module may depend on which. */
class ArchitectureTest {

    private static final String ROOT = "dev.stowage.cli";
    private static final String TEXT = ROOT + ".text";
    private static final String OPTION = ROOT + ".option";

    /** One for each subcommand; none depends on another. */
    private static final List<String> COMMANDS = Stream.of(
                    "plan", "pack", "run", "bench", "inspect", "quantize", "devices", "rpc", "serve", "conformance")
            .map(name -> ROOT + "." + name)
            .toList();

    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(classFiles());

    private static Path classFiles() {
        try {
            return Path.of(Main.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static void requireOnly(String name, String... allowed) {
        classes()
                .that()
                .resideInAPackage(name)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed).or(resideOutsideOfPackage(ROOT + "..")))
                .check(CLASSES);
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void aCommandDependsOnSharedOptionsAndTextOnly(String name) {
        requireOnly(name, name, OPTION, TEXT);
    }

    @Test
    void whatCommandsShareDependsOnNoCommand() {
        requireOnly(TEXT, TEXT);
        requireOnly(OPTION, OPTION, TEXT);
    }

    @Test
    void onlyConformanceDependsOnTheTestKit() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".conformance")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.stowage.testkit..")
                .check(CLASSES);
    }

    @Test
    void everyPackageIsKnown() {
        Set<String> found = CLASSES.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(ROOT))
                .collect(Collectors.toSet());
        assertThat(found).containsAll(COMMANDS).hasSize(COMMANDS.size() + 3).contains(ROOT, OPTION, TEXT);
    }

    /** On the class path, where tests run, everything is open; the command runs as a module. */
    @Test
    void everyPackageThatPicocliReadsIsOpenToIt() throws IOException {
        String module = Files.readString(Path.of("src/main/java/module-info.java"));
        Set<String> read = CLASSES.stream()
                .filter(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(use -> use.getTargetClass().getPackageName().equals("picocli")
                                && use.getTargetClass().isAnnotation()))
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet());
        assertThat(read).containsAll(COMMANDS).contains(ROOT, OPTION);
        assertThat(read)
                .allSatisfy(name -> assertThat(module).containsPattern("opens " + name + " to\\s+info.picocli"));
    }
}
