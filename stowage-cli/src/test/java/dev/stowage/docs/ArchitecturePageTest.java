package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
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

/** The types and packages that the map of the code names exist: the boxes of its drawings, and the names in its text. */
class ArchitecturePageTest {

    private static final Path ROOT = Path.of("..");
    private static final Path MAP = ROOT.resolve("ARCHITECTURE.md");
    private static final Path CORE = ROOT.resolve("stowage-core/src/main/java");

    private static final Pattern ARROW = Pattern.compile("\\s*(?:─+►|◄─+)\\s*");
    private static final Pattern TYPE_NAME = Pattern.compile("`([A-Z][a-z][A-Za-z]*)[`.]");
    private static final Pattern PACKAGE_NAME = Pattern.compile("`(dev\\.stowage(?:\\.[a-z]+)+)`");
    private static final Pattern PACKAGE_ROW =
            Pattern.compile("(?m)^\\| `(dev\\.stowage(?:\\.[a-z]+)+)` \\| (.*?) \\|");
    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");

    /** The names of the JDK among those of the text. */
    private static final Set<String> OF_THE_JDK = Set.of("AutoCloseable", "ServiceLoader");

    @Test
    void everyBoxIsAType() throws IOException {
        List<String> boxes = Files.readAllLines(MAP).stream()
                .filter(line -> line.startsWith("    ") && line.contains("►"))
                .flatMap(line -> ARROW.splitAsStream(line.strip()))
                .toList();

        assertThat(boxes).hasSizeGreaterThan(20);
        assertThat(declaredTypes()).containsAll(boxes);
    }

    @Test
    void everyTypeOfTheTextExists() throws IOException {
        Set<String> named = names(TYPE_NAME);
        named.removeAll(OF_THE_JDK);

        assertThat(declaredTypes()).containsAll(named);
    }

    @Test
    void everyPackageOfTheTextExists() throws IOException {
        Set<String> packages = sources()
                .map(file -> file.toString().replace('/', '.'))
                .map(name -> name.substring(name.lastIndexOf("java.dev.") + "java.".length()))
                .collect(Collectors.toSet());

        assertThat(names(PACKAGE_NAME))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(packages).anyMatch(source -> source.startsWith(name + '.')));
    }

    @Test
    void everyTypeInTheRowOfAPackageIsInThatPackage() throws IOException {
        List<MatchResult> rows =
                PACKAGE_ROW.matcher(Files.readString(MAP)).results().toList();

        assertThat(rows).hasSizeGreaterThan(15).allSatisfy(row -> {
            Path folder = CORE.resolve(row.group(1).replace('.', '/'));
            Set<String> declared = files(folder)
                    .filter(file -> folder.equals(file.getParent()))
                    .flatMap(ArchitecturePageTest::declarations)
                    .collect(Collectors.toSet());
            Set<String> named = TYPE_NAME
                    .matcher(row.group(2))
                    .results()
                    .map(found -> found.group(1))
                    .filter(name -> !OF_THE_JDK.contains(name))
                    .collect(Collectors.toSet());
            assertThat(declared).as(row.group(1)).containsAll(named);
        });
    }

    private static Set<String> names(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(MAP))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> declaredTypes() {
        return sources().flatMap(ArchitecturePageTest::declarations).collect(Collectors.toSet());
    }

    private static Stream<String> declarations(Path file) {
        return DECLARATION.matcher(read(file)).results().map(found -> found.group(1));
    }

    /** All sources in packages of the project, of all modules. */
    private static Stream<Path> sources() {
        return modules().stream().flatMap(module -> files(module.resolve("src")));
    }

    private static List<Path> modules() {
        try (Stream<Path> folders = Files.list(ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src")))
                    .filter(folder -> folder.getFileName().toString().startsWith("stowage-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files
                    .filter(file ->
                            file.toString().endsWith(".java") && file.toString().contains("/dev/stowage/"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
