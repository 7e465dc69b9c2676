package dev.stowage.cuda;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which packages of this module may know which. */
class CudaArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.stowage.cuda");

    /** What families have in common: strided loops, and launches of products in units, which fusions use too. */
    private static final String[] SHARED = {"dev.stowage.cuda.op.strided", "dev.stowage.cuda.op.unit"};

    /** Products of halves, which products with weights in units use once these are dequantised. */
    private static final Set<String> SHARED_PRODUCTS = Set.of(
            "DotRounding",
            "GatedGemm",
            "Gemm",
            "GemmOperands",
            "GemmTarget",
            "HalfMatrix",
            "HalfType",
            "HalfWeights",
            "PairProduct",
            "Rows");

    /**
     * <pre>
     *   driver ◄─ kernel ◄─ memory ◄─ program ◄─ op ◄─ devices and their streams
     * </pre>
     */
    @Test
    void packagesUseThoseBelowThem() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("dev.stowage.cuda..")
                .layer("driver")
                .definedBy("dev.stowage.cuda.driver")
                .layer("kernel")
                .definedBy("dev.stowage.cuda.kernel")
                .layer("memory")
                .definedBy("dev.stowage.cuda.memory..")
                .layer("program")
                .definedBy("dev.stowage.cuda.program")
                .layer("op")
                .definedBy("dev.stowage.cuda.op..")
                .layer("devices")
                .definedBy("dev.stowage.cuda")
                .whereLayer("driver")
                .mayOnlyBeAccessedByLayers("kernel", "memory", "program", "devices")
                .whereLayer("kernel")
                .mayOnlyBeAccessedByLayers("memory", "program", "op", "devices")
                .whereLayer("memory")
                .mayOnlyBeAccessedByLayers("program", "op", "devices")
                .whereLayer("program")
                .mayOnlyBeAccessedByLayers("op", "devices")
                .whereLayer("op")
                .mayOnlyBeAccessedByLayers("devices")
                .whereLayer("devices")
                .mayNotBeAccessedByAnyLayer()
                .check(CLASSES);
    }

    @Test
    void driverAndKernelsKnowNothingOfGraphs() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.stowage.cuda.driver", "dev.stowage.cuda.kernel")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.stowage.tensor..",
                        "dev.stowage.graph..",
                        "dev.stowage.memory..",
                        "dev.stowage.plan..",
                        "dev.stowage.device..")
                .check(CLASSES);
    }

    /** They name kernels; loading them is up to programs. */
    @Test
    void opsOfAFamilyKnowKernelsByName() {
        noClasses()
                .that()
                .resideInAPackage("dev.stowage.cuda.op..")
                .should()
                .dependOnClassesThat()
                .haveSimpleName("KernelLibrary")
                .check(CLASSES);
    }

    @Test
    void onlyTheDriverCallsNativeCode() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.stowage.cuda.driver")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.foreign.Linker")
                .check(CLASSES);
    }

    @Test
    void opsOfAFamilyAreKnownByTheirEntryAlone() {
        noClasses()
                .that()
                .resideInAPackage("dev.stowage.cuda.op")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.stowage.cuda.op.*")
                        .and(not(resideInAnyPackage(SHARED)))
                        .and(not(sharedProducts()))
                        .and(not(simpleNameEndingWith("Family"))))
                .check(CLASSES);
    }

    @Test
    void onlyTheEntryOfAFamilyIsPublic() {
        classes()
                .that()
                .resideInAPackage("dev.stowage.cuda.op.*")
                .and()
                .resideOutsideOfPackages(SHARED)
                .and()
                .haveSimpleNameNotEndingWith("Family")
                .and(not(sharedProducts()))
                .and()
                .areTopLevelClasses()
                .should()
                .notBePublic()
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> sharedProducts() {
        return resideInAPackage("dev.stowage.cuda.op.matrix")
                .and(DescribedPredicate.describe(
                        "that other products share", found -> SHARED_PRODUCTS.contains(found.getSimpleName())));
    }
}
