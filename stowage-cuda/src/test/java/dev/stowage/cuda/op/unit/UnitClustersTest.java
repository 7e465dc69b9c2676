package dev.stowage.cuda.op.unit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.op.PlacedGraph;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.tensor.GluFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How products of 5 to 64 tokens are split over the clusters of a Hopper GPU. */
class UnitClustersTest {

    private static UnitProduct product(UnitFormat format, long k, long... rows) {
        UnitProduct product = UnitProduct.of(format, k, Activations.floats(Pointers.of(1 << 20), k), 8);
        for (long each : rows) {
            product.matrix(1 << 24, each, Pointers.of(1 << 22), Pointers.NONE);
        }
        return product;
    }

    private static UnitClusters clusters(UnitProduct product, int tokens) {
        return UnitClusters.of(product, tokens, PlacedGraph.HOPPER);
    }

    /** Otherwise a kernel would copy more into shared memory than it was given, or have other rows than it is launched for. */
    @Test
    void numbersAreThoseOfTheKernel() throws IOException {
        String source = Files.readString(Path.of("src/main/cuda/unit_mm_sm90.cu"));
        Matcher kernel = Pattern.compile(
                        "__launch_bounds__\\((\\d+), 2\\).*unit_mm_clusters<TYPE, TOKENS, (\\d), (\\d), (\\d)>",
                        Pattern.DOTALL)
                .matcher(source);
        assertThat(kernel.find()).isTrue();
        int groups = Integer.parseInt(kernel.group(2));
        int stageBytes = Integer.parseInt(kernel.group(3)) * Integer.parseInt(kernel.group(4)) * 256;
        UnitProduct product = product(UnitFormat.Q4_0, 4096, 4096);
        for (int tokens : new int[] {8, 16, 32, 64}) {
            UnitClusters clusters = clusters(product, tokens);
            Launch launch = clusters.launch(product);
            assertThat(clusters.tiles()).isEqualTo(4096 / (64 * groups));
            assertThat(launch.block().x())
                    .isEqualTo(Integer.parseInt(kernel.group(1)))
                    .isEqualTo(128 * groups);
            assertThat(launch.sharedBytes())
                    .isGreaterThanOrEqualTo(tokens * stageBytes)
                    .isGreaterThanOrEqualTo(tokens * (64 * groups + 4) * Float.BYTES);
        }
    }

    @ParameterizedTest
    @CsvSource({"4096, 4096, 6", "4096, 6144, 4", "4096, 28672, 1", "14336, 4096, 7", "4096, 128256, 1", "256, 4096, 1"
    })
    void partsAreEvenAndFillTheDevice(long k, long rows, int parts) {
        UnitClusters clusters = clusters(product(UnitFormat.Q4_0, k, rows), 8);
        assertThat(clusters.parts()).isEqualTo(parts);
        assertThat(clusters.tiles()).isEqualTo(Math.ceilDiv(rows, 128));
    }

    @Test
    void tilesOfAGatedUnitHaveHalfOfTheirRowsFromEachMatrix() {
        UnitProduct product = product(UnitFormat.Q4_0, 4096, 14336, 14336).glu(GluFunction.SWIGLU);
        assertThat(clusters(product, 32).tiles()).isEqualTo(224);
    }

    @Test
    void halvesAreNotMultipliedInClusters() {
        LaunchList out = new LaunchList(PlacedGraph.HOPPER, KernelCatalog.standard());
        UnitBatch.launch(product(UnitFormat.F16, 4096, 4096), out);
        assertThat(out.launches()).extracting(Launch::kernel).containsExactly("unit_tokens_f16", "unit_mm_f16_x8");
        assertThat(out.launches().getLast().clusterSize()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(UnitFormat.class)
    void twoBlocksFitIntoAMultiprocessor(UnitFormat format) {
        for (int tokens : new int[] {8, 16, 32, 64}) {
            UnitProduct product = product(format, 4096, 4096, 1024, 1024);
            Launch launch = clusters(product, tokens).launch(product);
            assertThat(launch.sharedBytes()).isLessThan(112 << 10);
            assertThat(launch.grid().x() % launch.clusterSize()).isZero();
        }
    }
}
