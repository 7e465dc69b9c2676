package dev.stowage.cpu;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which packages of this module may know which. */
class CpuArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.stowage.cpu");

    @Test
    void kernelsKnowAddressesAndNothingOfGraphs() {
        noClasses()
                .that()
                .resideInAPackage("dev.stowage.cpu.kernel..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.stowage.cpu",
                        "dev.stowage.cpu.op..",
                        "dev.stowage.cpu.program",
                        "dev.stowage.cpu.team",
                        "dev.stowage.cpu.weights",
                        "dev.stowage.graph",
                        "dev.stowage.device")
                .check(CLASSES);
    }

    @Test
    void teamsAndProgramsKnowNoOp() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.stowage.cpu.team", "dev.stowage.cpu.program")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.stowage.cpu.op..", "dev.stowage.cpu.kernel..")
                .check(CLASSES);
    }

    @Test
    void vectorCodeIsOnlyWhereTheCompilerRuleMatches() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.stowage.cpu.op..", "dev.stowage.cpu.program", "dev.stowage.cpu.team")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jdk.incubator.vector")
                .check(CLASSES);
    }

    @Test
    void packagesOfOpsAndOfKernelsHaveNoCycles() {
        slices().matching("dev.stowage.cpu.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void kernelsOfAFamilyUseWhatAllShareAndNotTheOtherWayAround() {
        noClasses()
                .that()
                .resideInAPackage("dev.stowage.cpu.kernel")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.stowage.cpu.kernel.*")
                .check(CLASSES);
    }

    @Test
    void opsOfAFamilyAreKnownByTheirEntryAlone() {
        noClasses()
                .that()
                .resideInAPackage("dev.stowage.cpu.op")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.stowage.cpu.op.*").and(not(simpleNameEndingWith("Family"))))
                .check(CLASSES);
    }
}
