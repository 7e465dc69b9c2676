package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.cli.bench.OpsBenchGroups;
import dev.stowage.tensor.ElementType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OpBenchCasesTest {

    @Test
    void groupsOfTheComparisonAndOfDevicesAreThoseOfTheCommandLine() {
        Stream<String> compared = OpBenchCases.all().stream().map(OpBenchCase::group);
        Stream<String> ofDevices = DeviceOpCases.all().stream().map(DeviceOpCase::group);
        assertThat(Stream.concat(compared, ofDevices).distinct())
                .containsExactlyInAnyOrderElementsOf(OpsBenchGroups.NAMES);
    }

    @Test
    void noTwoCasesHaveTheSameLabel() {
        assertThat(OpBenchCases.all().stream().map(each -> each.name() + each.type()))
                .doesNotHaveDuplicates();
    }

    @Test
    void rareTypesAreMeasuredOnlyIfAskedFor() {
        assertThat(OpBenchCases.select(List.of("mul_mat"), List.of(), false))
                .extracting(OpBenchCase::type)
                .doesNotContain(ElementType.Q5_1);
        assertThat(OpBenchCases.select(List.of("mul_mat"), List.of(ElementType.Q5_1), false))
                .extracting(OpBenchCase::shape)
                .containsExactly("1024x1024x1024", "4096x512x4096");
    }

    @Test
    void quickLeavesOutWhatTakesLong() {
        assertThat(OpBenchCases.select(List.of(), List.of(), true))
                .isNotEmpty()
                .extracting(OpBenchCase::demand)
                .noneMatch(Demand::isPatient);
        assertThat(OpBenchCases.select(List.of("mul_mat"), List.of(ElementType.Q5_1), true))
                .extracting(OpBenchCase::shape)
                .containsExactly("1024x1024x1024");
    }

    @Test
    void coldVectorsReadAtLeastTheBytesThatNoCacheHolds() {
        List<OpBenchCase> cold = OpBenchCases.all().stream()
                .filter(each -> each.group().equals("mul_mat_vec"))
                .toList();

        assertThat(cold).hasSize(14).allSatisfy(each -> assertThat(each.work()).isGreaterThanOrEqualTo(768L << 20));
    }
}
