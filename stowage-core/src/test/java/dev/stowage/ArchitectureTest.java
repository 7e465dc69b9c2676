package dev.stowage;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.stowage.graph.Graph;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The map of packages, enforced: which may know which, and what their public classes look like. */
class ArchitectureTest {

    /** No package has more source files than this; a larger one has more than one concept. */
    private static final int MOST_CLASSES = 40;

    /** In the order the data meets them; each, with its sub-packages, may use those before it. */
    private static final List<String> PACKAGES =
            List.of("error", "tensor", "graph", "memory", "packing", "plan", "device", "schedule", "profile");

    private static final String ROOT = "dev.stowage.";
    private static final String INTERNAL = ROOT + "internal..";

    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(classFiles());

    private static Path classFiles() {
        try {
            return Path.of(Graph.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static List<String> packages() {
        return PACKAGES.stream()
                .filter(name -> CLASSES.containPackage(ROOT + name))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void aPackageUsesOnlyThoseBeforeIt(String name) {
        List<String> allowed = new ArrayList<>(List.of(INTERNAL));
        for (String before : PACKAGES.subList(0, PACKAGES.indexOf(name) + 1)) {
            allowed.add(ROOT + before + "..");
        }

        classes()
                .that()
                .resideInAPackage(ROOT + name + "..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed.toArray(String[]::new)).or(resideOutsideOfPackage("dev.stowage..")))
                .check(CLASSES);
    }

    @Test
    void whatIsInternalUsesOnlyTheExceptions() {
        classes()
                .that()
                .resideInAPackage(INTERNAL)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(INTERNAL, ROOT + "error").or(resideOutsideOfPackage("dev.stowage..")))
                .check(CLASSES);
    }

    @Test
    void everyPackageIsOnTheMap() {
        Set<String> found = CLASSES.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(ROOT) && !name.startsWith(ROOT + "internal"))
                .map(name -> name.substring(ROOT.length()))
                .map(name -> name.contains(".") ? name.substring(0, name.indexOf('.')) : name)
                .collect(Collectors.toSet());

        assertThat(found).isSubsetOf(PACKAGES).isNotEmpty();
    }

    @Test
    void noPackageIsLargerThanOneConcept() {
        Map<String, Long> sizes = CLASSES.stream()
                .filter(type -> type.isTopLevelClass())
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

        assertThat(sizes).allSatisfy((name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(MOST_CLASSES));
    }

    @Test
    void packagesDoNotUseEachOtherInCircles() {
        slices().matching(ROOT + "(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlyTheJdkIsUsed() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("dev.stowage..", "java..", "jdk.jfr..", "org.jspecify.."))
                .check(CLASSES);
    }

    @Test
    void nothingButInternalsUsesInternalsOfTheJdk() {
        noClasses()
                .that()
                .resideOutsideOfPackage(INTERNAL)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.lang.reflect..", "sun..", "com.sun..", "jdk.internal..")
                .check(CLASSES);
    }

    @Test
    void onlyExceptionsOfTheOwnFamilyAreThrown() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "error", INTERNAL)
                .should()
                .callConstructorWhere(target(owner(assignableTo(RuntimeException.class)
                        .and(resideOutsideOfPackage(ROOT + "error"))
                        // Thrown by what the compiler makes of a switch over a sealed or enum type.
                        .and(not(assignableTo(MatchException.class))))))
                .check(CLASSES);
    }

    @Test
    void publicClassesCannotBeExtendedByAccident() {
        classes()
                .that()
                .arePublic()
                .and()
                .resideOutsideOfPackage(INTERNAL)
                .should(new ArchCondition<JavaClass>("be final, sealed, abstract, an interface, a record or an enum") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        boolean closed = type.getModifiers().contains(JavaModifier.FINAL)
                                || type.getModifiers().contains(JavaModifier.ABSTRACT)
                                || type.isInterface()
                                || type.isRecord()
                                || type.isEnum()
                                || type.reflect().isSealed();
                        events.add(new SimpleConditionEvent(type, closed, type.getName() + " can be extended"));
                    }
                })
                .check(CLASSES);
    }
}
