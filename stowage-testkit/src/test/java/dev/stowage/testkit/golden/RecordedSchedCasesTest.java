package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.testkit.golden.SchedCase.GoldenDevice;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The cases recorded from ggml's scheduler: the same devices, splits, sizes and calls in the same order. */
class RecordedSchedCasesTest {

    private static final GoldenFile RECORDED =
            GoldenFile.resource(RecordedSchedCasesTest.class, "/golden/sched.jsonl.gz");

    private static List<SchedCase> cases() {
        try (Stream<SchedCase> cases = RECORDED.schedCases()) {
            return cases.toList();
        }
    }

    @Test
    void allOfThemCanBeRead() {
        assertThat(cases().stream().map(SchedCase::name).distinct()).hasSize(236);
    }

    @Test
    void everyOneIsScheduledAndRunAsGgmlDid() {
        assertThat(cases())
                .allSatisfy(
                        golden -> assertThat(SchedConformance.failures(golden)).isEmpty());
    }

    /** Otherwise the comparison above would say little. */
    @Test
    void theyMakeCallsOfEveryKind() {
        Set<String> kinds = new HashSet<>();
        for (SchedCase golden : cases()) {
            golden.expected().trace().forEach(call -> kinds.add(call.substring(0, call.indexOf('('))));
        }
        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        "compute", "copy_async", "set", "get", "sync", "event_record", "event_wait", "event_sync");
    }

    @Test
    void theyNameOnlyTheirOwnDevices() {
        assertThat(cases()).allSatisfy(golden -> {
            List<String> names =
                    golden.devices().stream().map(GoldenDevice::name).toList();
            assertThat(golden.expected().trace())
                    .filteredOn(call -> call.startsWith("sync("))
                    .allSatisfy(call -> assertThat(names).contains(call.substring(5, call.length() - 1)));
        });
    }
}
