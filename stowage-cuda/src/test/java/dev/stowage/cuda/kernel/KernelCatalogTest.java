package dev.stowage.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class KernelCatalogTest {

    /** The ending of files with instructions that only sm_90a has. */
    private static final String HOPPER_ONLY = "_sm90";

    @Test
    void readsNameFileAndTypes() {
        KernelCatalog catalog = KernelCatalog.parse(List.of("scale_f32 elementwise VIEW,VIEW,F32", "noop copy "));

        assertThat(catalog.get("scale_f32"))
                .isEqualTo(new KernelSignature(
                        "scale_f32",
                        "elementwise",
                        List.of(ParameterType.VIEW, ParameterType.VIEW, ParameterType.F32)));
        assertThat(catalog.get("noop").parameters()).isEmpty();
        assertThat(catalog.all()).hasSize(2);
    }

    @Test
    void refusesTwoKernelsOfOneName() {
        assertThatThrownBy(() -> KernelCatalog.parse(List.of("copy a I32", "copy b I32")))
                .hasMessageContaining("two kernels are called copy");
    }

    @Test
    void refusesTypesThatLaunchesCannotPass() {
        assertThatThrownBy(() -> KernelCatalog.parse(List.of("copy a F64")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysWhichKernelIsMissing() {
        assertThatThrownBy(() -> KernelCatalog.parse(List.of()).get("copy"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no kernel copy");
    }

    @ParameterizedTest
    @EnumSource(Architecture.class)
    void everyFileIsCompiledForEveryArchitecture(Architecture architecture) {
        for (String file : files()) {
            if (architecture == Architecture.SM_90A || !file.endsWith(HOPPER_ONLY)) {
                assertThat(KernelCatalog.image(architecture, file))
                        .as(architecture + " of " + file)
                        .isNotEmpty();
            }
        }
    }

    @Test
    void filesForHopperAreCompiledForNothingElse() {
        assertThat(files()).anyMatch(file -> file.endsWith(HOPPER_ONLY));
        for (String file : files()) {
            if (file.endsWith(HOPPER_ONLY)) {
                assertThatThrownBy(() -> KernelCatalog.image(Architecture.PTX, file))
                        .hasMessageContaining("ptx/" + file)
                        .hasMessageContaining("are missing");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"80, SM_80", "86, SM_80", "87, SM_80", "89, SM_89", "90, SM_90A", "100, PTX", "103, PTX", "120, PTX"})
    void codeIsChosenByComputeCapability(int capability, Architecture code) {
        assertThat(Architecture.of(capability)).isEqualTo(code);
    }

    private static Set<String> files() {
        Set<String> files = new TreeSet<>();
        KernelCatalog.standard().all().forEach(kernel -> files.add(kernel.file()));
        return files;
    }
}
