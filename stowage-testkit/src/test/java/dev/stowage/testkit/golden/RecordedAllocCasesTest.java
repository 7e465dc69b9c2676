package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.golden.AllocExpectation.ExpectedPlacement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The cases recorded from ggml; reading one already compares each tensor's bytes with those ggml counted. */
class RecordedAllocCasesTest {

    private static final GoldenFile RECORDED =
            GoldenFile.resource(RecordedAllocCasesTest.class, "/golden/alloc.jsonl.gz");

    @Test
    void allOfThemCanBeRead() {
        try (Stream<AllocCase> cases = RECORDED.allocCases()) {
            assertThat(cases.map(AllocCase::name).distinct()).hasSize(400);
        }
    }

    @Test
    void theyPlaceExactlyWhatIsNotFixed() {
        try (Stream<AllocCase> cases = RECORDED.allocCases()) {
            cases.forEach(recorded -> {
                Graph graph = recorded.graph();
                List<Integer> planned = recorded.tensors().fileIds().stream()
                        .filter(id -> !owner(recorded.tensors().tensor(id)).isWeight())
                        .toList();
                assertThat(graph.size()).as(recorded.name()).isEqualTo(graph.nodeCount() + graph.leafCount());
                assertThat(recorded.expected().placements().keySet())
                        .as(recorded.name())
                        .containsExactlyInAnyOrderElementsOf(planned);
            });
        }
    }

    @Test
    void viewsAreWithinTheirSource() {
        try (Stream<AllocCase> cases = RECORDED.allocCases()) {
            cases.forEach(recorded -> recorded.expected().placements().forEach((fileId, place) -> {
                Tensor tensor = recorded.tensors().tensor(fileId);
                int ownerId = recorded.tensors().fileId(recorded.graph().idOf(owner(tensor)));
                long ownerOffset = place.offset() - tensor.viewOffset();
                assertThat(recorded.expected().placements().get(ownerId))
                        .as("%s %s", recorded.name(), recorded.tensors().describe(fileId))
                        .isEqualTo(new ExpectedPlacement(place.buffer(), place.chunk(), ownerOffset));
            }));
        }
    }

    private static Tensor owner(Tensor tensor) {
        return tensor.isView() ? tensor.viewSource() : tensor;
    }
}
