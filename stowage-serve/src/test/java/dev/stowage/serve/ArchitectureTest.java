package dev.stowage.serve;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Which packages may use which: the wire knows neither HTTP nor routes, and only one package knows Jetty. */
class ArchitectureTest {

    private static final String ROOT = "dev.stowage.serve";

    /** Each may use those before it. */
    private static final List<String> PACKAGES = List.of(ROOT + ".wire", ROOT + ".http", ROOT + ".route", ROOT);

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

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
    void librariesOfOthersStayInOnePackageEach() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".http")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".wire")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("tools.jackson..")
                .check(CLASSES);
    }

    @Test
    void theWireDoesNotKnowTheEngine() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".wire")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.stowage.llm.engine..")
                .check(CLASSES);
    }
}
