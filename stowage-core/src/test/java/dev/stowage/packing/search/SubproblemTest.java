package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.PackingCsv;
import dev.stowage.packing.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A problem falls apart where no buffer lives on. */
class SubproblemTest {

    @Test
    void cutsWhereNoBufferIsLive() {
        Problem problem = Problem.builder()
                .add("a", 0, 2, 1)
                .add("b", 1, 3, 1)
                .add("c", 3, 5, 9)
                .add("d", 7, 8, 5)
                .build();
        List<Subproblem> parts = Subproblem.of(problem);

        assertThat(parts).extracting(part -> part.problem().id(0)).containsExactly("c", "d", "a");
        assertThat(parts.getLast().count()).isEqualTo(2);
        assertThat(parts.getLast().member(1)).isEqualTo(1);
    }

    @Test
    void keepsWhatABufferIs() {
        Problem problem = Problem.builder()
                .addFixed("a", 0, 2, 8, 4, 16)
                .addAligned("b", 1, 3, 6, 2)
                .build();
        Problem part = Subproblem.of(problem).getFirst().problem();

        assertThat(PackingCsv.format(part)).isEqualTo(PackingCsv.format(problem));
    }

    @Test
    void leavesOutBuffersWithoutBytes() {
        assertThat(Subproblem.of(Problem.builder().add(0, 4, 0).build())).isEmpty();
    }
}
