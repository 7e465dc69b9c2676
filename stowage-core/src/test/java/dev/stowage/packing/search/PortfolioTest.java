package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How restarts are distributed. */
class PortfolioTest {

    @Test
    void lengthensTurnsByLubysSequence() {
        assertThat(IntStream.rangeClosed(1, 15).mapToLong(Portfolio::luby))
                .containsExactly(1L, 1L, 2L, 1L, 1L, 2L, 4L, 1L, 1L, 2L, 1L, 1L, 2L, 4L, 8L);
    }

    @Test
    void hasNoStyleTwice() {
        assertThat(SearchStyle.ALL).doesNotHaveDuplicates().containsAll(SearchStyle.WITHOUT_SLACK);
    }
}
