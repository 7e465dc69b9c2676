package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cpu.machine.Features;
import dev.stowage.cpu.machine.tile.TileLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JVM can be started with vectors of any width, and without what makes them fast. Each test starts such a process: the
 * numbers are right in all of them, and the kernels serve where they are fast and leave it to the reference elsewhere.
 */
class VectorConfigurationsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:MaxVectorSize=16",
                "-XX:MaxVectorSize=32",
                "-XX:MaxVectorSize=64",
                "-XX:UseAVX=1",
                "-XX:UseAVX=2",
                "-XX:UseAVX=3",
                "-XX:-TieredCompilation"
            })
    void kernelsServeAndAreRight(String option) throws IOException, InterruptedException {
        assertThat(run(option))
                .contains(VectorConfiguration.SERVES + "cpu", VectorConfiguration.KERNELS + "right")
                .noneMatch(line -> line.startsWith(VectorConfiguration.WRONG));
    }

    @ParameterizedTest
    @CsvSource({
        "-XX:MaxVectorSize=8, 64 bits",
        "-XX:UseAVX=0, UseFMA",
        "-XX:-UseFMA, UseFMA",
        "-XX:TieredStopAtLevel=1, C2",
        "-XX:TieredStopAtLevel=3, C2",
        "-XX:CompilationMode=quick-only, C2",
    })
    void theReferenceServesAndOneLineSaysWhy(String option, String cause) throws IOException, InterruptedException {
        List<String> lines = run(option);

        assertThat(lines)
                .contains(VectorConfiguration.SERVES + "reference")
                .noneMatch(line -> line.startsWith(VectorConfiguration.WRONG));
        assertThat(lines)
                .filteredOn(line -> line.startsWith(VectorConfiguration.REASON))
                .singleElement()
                .asString()
                .contains(cause)
                .contains("start java without " + option)
                .contains("the reference backend is used");
        assertThat(lines)
                .as("logged")
                .filteredOn(line -> line.contains("start java") && !line.startsWith(VectorConfiguration.REASON))
                .hasSize(1);
    }

    @Test
    void machineCodeCanBeSwitchedOffAndOneLineSaysSo() throws IOException, InterruptedException {
        List<String> lines = run("-Dstowage.cpu.machine-code=off");

        assertThat(lines)
                .contains(VectorConfiguration.SERVES + "cpu", VectorConfiguration.KERNELS + "right")
                .noneMatch(line -> line.startsWith(VectorConfiguration.WRONG));
        assertThat(lines)
                .filteredOn(line -> line.contains("no machine code"))
                .singleElement()
                .asString()
                .contains("stowage.cpu.machine-code is off");
    }

    /** Tiles are for any width of vectors: a processor with 256 bits has them too. */
    @ParameterizedTest
    @CsvSource({"avx2, AVX2", "avx-vnni, AVX_VNNI", "avx512, AVX512_VNNI"})
    void machineCodeCanBeLimitedToSomeInstructions(String limit, TileLevel level)
            throws IOException, InterruptedException {
        assumeThat(System.getProperty("os.arch")).isEqualTo("amd64");
        assumeThat(Features.ofThisProcessor()).containsAll(level.features());
        List<String> lines = run("-Dstowage.cpu.machine-code=" + limit, "-XX:MaxVectorSize=32");

        assertThat(lines)
                .contains(
                        VectorConfiguration.SERVES + "cpu",
                        VectorConfiguration.KERNELS + "right",
                        VectorConfiguration.LEVEL + level,
                        VectorConfiguration.WEIGHTS_TYPE + "cpu tiles")
                .noneMatch(line -> line.startsWith(VectorConfiguration.WRONG))
                .noneMatch(line -> line.contains("machine code"));
    }

    @Test
    void matricesAreUsedWhereTheyAreGrantedAndElseOneLineSaysSo() throws IOException, InterruptedException {
        assumeThat(System.getProperty("os.arch")).isEqualTo("amd64");
        assumeThat(Features.ofThisProcessor()).containsAll(TileLevel.AVX512_VNNI.features());
        boolean isGranted = Features.includingAmx().containsAll(TileLevel.AMX.features());
        List<String> lines = run("-Dstowage.cpu.machine-code=amx");

        assertThat(lines)
                .contains(VectorConfiguration.LEVEL + (isGranted ? TileLevel.AMX : TileLevel.AVX512_VNNI))
                .noneMatch(line -> line.startsWith(VectorConfiguration.WRONG));
        assertThat(lines)
                .filteredOn(line -> line.contains("stowage.cpu.machine-code is amx"))
                .hasSize(isGranted ? 0 : 1);
    }

    @Test
    void aLimitThatIsNoneIsIgnoredAndOneLineSaysSo() throws IOException, InterruptedException {
        List<String> lines = run("-Dstowage.cpu.machine-code=sse");

        assertThat(lines).contains(VectorConfiguration.SERVES + "cpu", VectorConfiguration.KERNELS + "right");
        assertThat(lines)
                .filteredOn(line -> line.contains("stowage.cpu.machine-code"))
                .singleElement()
                .asString()
                .contains("sse")
                .contains("off, avx2, avx-vnni, avx512, amx");
    }

    @ParameterizedTest
    @ValueSource(strings = "-XX:MaxVectorSize=8")
    void theCheckOfTheKernelsFindsLanesThatAreLost(String option) throws IOException, InterruptedException {
        assertThat(run(option))
                .filteredOn(line -> line.startsWith(VectorConfiguration.KERNELS))
                .singleElement()
                .asString()
                .contains("q8_0");
    }

    private static List<String> run(String... configuration) throws IOException, InterruptedException {
        // Processors other than x86 do not know all of these options.
        List<String> options = new ArrayList<>(List.of(
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+IgnoreUnrecognizedVMOptions"));
        options.addAll(List.of(configuration));
        try (JavaProcess process = JavaProcess.start(options, VectorConfiguration.class)) {
            return process.lines();
        }
    }
}
