package dev.stowage.llm;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The map of the packages of this module, enforced: which may know which. */
class ArchitectureTest {

    private static final String ROOT = "dev.stowage.llm";

    /** Each may use those before it. */
    private static final List<String> PACKAGES = List.of(
            ROOT + ".model",
            ROOT + ".fit",
            ROOT + ".tokenizer",
            ROOT + ".chat.jinja",
            ROOT + ".chat",
            ROOT + ".sampling",
            ROOT + ".grammar",
            ROOT,
            ROOT + ".engine",
            ROOT + ".golden");

    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(classFiles());

    private static Path classFiles() {
        try {
            return Path.of(LanguageModel.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @FieldSource("PACKAGES")
    void aPackageUsesOnlyThoseBeforeIt(String name) {
        List<String> allowed = PACKAGES.subList(0, PACKAGES.indexOf(name) + 1);
        classes()
                .that()
                .resideInAPackage(name)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed.toArray(String[]::new)).or(resideOutsideOfPackage(ROOT + "..")))
                .check(CLASSES);
    }

    @Test
    void everyPackageIsOnTheMap() {
        Set<String> found = CLASSES.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(ROOT))
                .collect(Collectors.toSet());
        assertThat(found).containsExactlyInAnyOrderElementsOf(PACKAGES);
    }
}
