package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.memory.Buffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SchedConformanceTest {

    private static List<String> failures(Path folder, String text) throws IOException {
        return SchedConformance.failures(SchedSample.read(folder, text));
    }

    @Test
    void findsNothingWrongWithWhatFollowsFromTheRules(@TempDir Path folder) throws IOException {
        assertThat(failures(folder, SchedSample.CASE)).isEmpty();
    }

    /** What the case says, what it says instead, and what is found. */
    static Stream<Arguments> planted() {
        return Stream.of(
                arguments(
                        "\"node_backends\": [1,0]",
                        "\"node_backends\": [1,1]",
                        "device of tensor 8 'y' (a weight it reads is there: 'w'): expected CPU, found GPU0"),
                arguments("\"leaf_backends\": [1,0]", "\"leaf_backends\": [0,0]", "device of tensor 5 'x'"),
                arguments("\"n_splits\": 2", "\"n_splits\": 3", "splits: expected 3, found 2"),
                arguments("\"n_copies\": 1", "\"n_copies\": 4", "copies: expected 4, found 1"),
                arguments("[192,256]", "[128,256]", "compute buffer of GPU0: expected 128, found 192"),
                arguments("[192,256]", "[192,255]", "compute buffer of CPU: expected 255, found 256"),
                arguments("[\"sync\",\"CPU\"],", "", "call 2 of 5: expected sync(GPU0), found sync(CPU)"),
                arguments(
                        "[\"set\",\"GPU0#n#0\"]",
                        "[\"set\",\"GPU0#n#1\"]",
                        "call 4 of 6: expected set(GPU0#n#1), found set(GPU0#n#0)"),
                arguments(
                        "[\"compute\",\"GPU0\",[8]]",
                        "[\"compute\",\"GPU0\",[8]], [\"sync\",\"GPU0\"]",
                        "call 6 of 7: expected sync(GPU0), found nothing"),
                arguments(
                        ", [\"compute\",\"GPU0\",[8]]]",
                        "]",
                        "call 5 of 5: expected nothing, found compute(GPU0,[8])"));
    }

    @ParameterizedTest
    @MethodSource("planted")
    void namesWhatDiffers(String part, String replacement, String difference, @TempDir Path folder) throws IOException {
        assertThat(SchedSample.CASE).containsOnlyOnce(part);
        assertThat(failures(folder, SchedSample.CASE.replace(part, replacement)))
                .singleElement()
                .asString()
                .startsWith("by hand: ")
                .contains(difference);
    }

    @Test
    void leavesTheTensorsWithoutOpenMemory(@TempDir Path folder) throws IOException {
        SchedCase golden = SchedSample.read(folder, SchedSample.CASE);
        SchedConformance.failures(golden);
        assertThat(SchedConformance.failures(golden)).isEmpty();
        assertThat(golden.tensors().fileIds())
                .map(golden.tensors()::tensor)
                .allSatisfy(tensor -> assertThat(
                                !tensor.isPlaced() || Buffer.of(tensor).isClosed())
                        .isTrue());
    }
}
