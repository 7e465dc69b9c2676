package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VmRequirementsTest {

    private final Map<String, VmFlag> flags = new HashMap<>();
    private final VmRequirements requirements = new VmRequirements(name -> Optional.ofNullable(flags.get(name)));

    @Test
    void nothingIsMissingWithTheDefaults() {
        chosen("UseFMA", "true");
        chosen("UseAVX", "2");
        chosen("UseCompiler", "true");
        chosen("TieredCompilation", "true");
        chosen("TieredStopAtLevel", "4");
        chosen("CompilationMode", "default");

        assertThat(requirements.missing()).isEmpty();
    }

    @Test
    void aJvmWithoutTheseFlagsIsTrusted() {
        assertThat(requirements.missing()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "TieredStopAtLevel, 1, without -XX:TieredStopAtLevel=1",
        "TieredStopAtLevel, 3, without -XX:TieredStopAtLevel=3",
        "CompilationMode, quick-only, without -XX:CompilationMode=quick-only",
        "UseCompiler, false, without -Xint",
    })
    void theCompilerC2IsNeeded(String flag, String value, String remedy) {
        given(flag, value);

        assertThat(requirements.missing()).get().asString().contains("C2").contains(remedy);
    }

    @Test
    void theLastLevelCountsOnlyForTieredCompilation() {
        given("TieredStopAtLevel", "1");
        given("TieredCompilation", "false");

        assertThat(requirements.missing()).isEmpty();
    }

    @Test
    void intrinsicsOfVectorsAreNeeded() {
        given("EnableVectorSupport", "false");

        assertThat(requirements.missing()).get().asString().contains("without -XX:-EnableVectorSupport");
    }

    @Test
    void fusedMultiplyAddIsNeeded() {
        given("UseFMA", "false");
        chosen("UseAVX", "3");

        assertThat(requirements.missing()).get().asString().contains("without -XX:-UseFMA");
    }

    @Test
    void theFlagThatTookFusedMultiplyAddAwayIsNamed() {
        chosen("UseFMA", "false");
        given("UseAVX", "0");

        assertThat(requirements.missing()).get().asString().contains("without -XX:UseAVX=0");
    }

    @Test
    void noFlagIsNamedWhereTheProcessorHasNoFusedMultiplyAdd() {
        chosen("UseFMA", "false");
        chosen("UseAVX", "1");

        assertThat(requirements.missing())
                .get()
                .asString()
                .contains("the processor does not have them")
                .doesNotContain("start java");
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void vectorsOfTheseWidthsAreRight(int bits) {
        assertThat(requirements.wrongWidth(bits)).isEmpty();
    }

    @Test
    void narrowVectorsAreWrong() {
        given("MaxVectorSize", "8");

        assertThat(requirements.wrongWidth(64))
                .get()
                .asString()
                .contains("64 bits")
                .contains("without -XX:MaxVectorSize=8");
    }

    @Test
    void vectorsThatAreTooWideCanBeMadeNarrower() {
        assertThat(requirements.wrongWidth(1024)).get().asString().contains("with -XX:MaxVectorSize=64");
    }

    private void given(String flag, String value) {
        flags.put(flag, new VmFlag(value, true));
    }

    private void chosen(String flag, String value) {
        flags.put(flag, new VmFlag(value, false));
    }
}
