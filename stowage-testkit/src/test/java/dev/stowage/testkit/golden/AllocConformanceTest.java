package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.testkit.golden.AllocExpectation.ExpectedPlacement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocConformanceTest {

    private static final String CASE = """
            {"case": "pair", "buffer_types": [{"name": "B0", "alignment": 16, "max_size": null, "size_multiple": 1,\
             "host": true}], "tensors": [{"id": 0, "name": "x", "type": "f32", "op": "NONE", "ne": [8, 1, 1, 1],\
             "nb": [4, 32, 32, 32], "nbytes": 32}, {"id": 1, "name": "y", "type": "f32", "op": "NORM",\
             "ne": [8, 1, 1, 1], "nb": [4, 32, 32, 32], "nbytes": 32, "output": true, "src": [0]}],\
             "nodes": [1], "leafs": [0], "expect": {"buffer_sizes": [64], "chunks": [[64]],\
             "placement": {"0": [0, 0, 0], "1": [0, 0, 32]}}}
            """;

    @Test
    void plansEveryRecordedCaseAsGgmlDid() {
        try (Stream<AllocCase> cases = GoldenFile.resource(AllocConformanceTest.class, "/golden/alloc.jsonl.gz")
                .allocCases()) {
            List<AllocCase> all = cases.toList();

            assertThat(all).hasSize(400);
            assertThat(all)
                    .allSatisfy(golden ->
                            assertThat(AllocConformance.failures(golden)).isEmpty());
        }
    }

    @Test
    void findsNothingWrongWithWhatGgmlDid(@TempDir Path folder) throws IOException {
        assertThat(failures(folder, CASE)).isEmpty();
    }

    @Test
    void namesTheTensorThatIsStoredElsewhere(@TempDir Path folder) throws IOException {
        assertThat(failures(folder, CASE.replace("\"1\": [0, 0, 32]", "\"1\": [0, 0, 16]")))
                .singleElement()
                .asString()
                .contains(
                        "pair",
                        "tensor 1 'y'",
                        "expected buffer 0, chunk 0, offset 16",
                        "found buffer 0, chunk 0, offset 32");
    }

    @Test
    void namesATensorThatHasAPlaceAndShouldHaveNone(@TempDir Path folder) throws IOException {
        assertThat(failures(folder, CASE.replace("\"0\": [0, 0, 0], ", "")))
                .singleElement()
                .asString()
                .contains("tensor 0 'x'", "expected no place");
    }

    @Test
    void namesAChunkOfAnotherSize(@TempDir Path folder) throws IOException {
        assertThat(failures(folder, CASE.replace("[[64]]", "[[96]]")))
                .singleElement()
                .asString()
                .contains("chunks of buffer 0", "expected [96]", "found [64]");
    }

    @Test
    void namesABufferOfAnotherSize(@TempDir Path folder) throws IOException {
        assertThat(failures(folder, CASE.replace("\"buffer_sizes\": [64]", "\"buffer_sizes\": [32]")))
                .singleElement()
                .asString()
                .contains("size of buffer 0", "expected 32", "found 64");
    }

    @Test
    void readsWhatItIsHeldAgainst(@TempDir Path folder) throws IOException {
        assertThat(only(folder, CASE).expected().placements()).containsEntry(1, new ExpectedPlacement(0, 0, 32));
    }

    private static List<String> failures(Path folder, String line) throws IOException {
        return AllocConformance.failures(only(folder, line));
    }

    private static AllocCase only(Path folder, String line) throws IOException {
        Path file = Files.writeString(folder.resolve("cases.jsonl"), line, StandardCharsets.UTF_8);
        try (Stream<AllocCase> cases = GoldenFile.of(file).allocCases()) {
            return cases.findFirst().orElseThrow();
        }
    }
}
