package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.bench.ops.BenchCase.Demand;
import dev.stowage.cli.OpsBenchGroups;
import dev.stowage.tensor.ElementType;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchCasesTest {

    @Test
    void groupsAreThoseOfTheCommandLineInThatOrder() {
        assertThat(BenchCases.all().stream().map(BenchCase::group).distinct())
                .containsExactlyElementsOf(OpsBenchGroups.NAMES);
    }

    @Test
    void noTwoCasesAreToldAlike() {
        assertThat(BenchCases.all().stream().map(each -> each.name() + each.type()))
                .doesNotHaveDuplicates();
    }

    @Test
    void rareTypesAreMeasuredOnlyIfAskedFor() {
        assertThat(BenchCases.wanted(List.of("mul_mat"), List.of(), false))
                .extracting(BenchCase::type)
                .doesNotContain(ElementType.Q5_1);
        assertThat(BenchCases.wanted(List.of("mul_mat"), List.of(ElementType.Q5_1), false))
                .extracting(BenchCase::shape)
                .containsExactly("1024x1024x1024", "4096x512x4096");
    }

    @Test
    void quickLeavesOutWhatTakesLong() {
        assertThat(BenchCases.wanted(List.of(), List.of(), true))
                .isNotEmpty()
                .extracting(BenchCase::demand)
                .noneMatch(Demand::isPatient);
        assertThat(BenchCases.wanted(List.of("mul_mat"), List.of(ElementType.Q5_1), true))
                .extracting(BenchCase::shape)
                .containsExactly("1024x1024x1024");
    }

    @Test
    void coldVectorsReadAtLeastTheBytesThatNoCacheHolds() {
        List<BenchCase> cold = BenchCases.all().stream()
                .filter(each -> each.group().equals("mul_mat_vec"))
                .toList();

        assertThat(cold).hasSize(14).allSatisfy(each -> assertThat(each.work()).isGreaterThanOrEqualTo(768L << 20));
    }
}
