package dev.stowage.packing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The example of this package's documentation, which is taken from here. */
class PackingSnippetTest {

    private static long pack() {
        // @start region="pack"
        Problem problem = Problem.builder()
                .add("a", 0, 3, 4096)
                .add("b", 3, 9, 4096)
                .addAligned("c", 0, 9, 1000, 256)
                .build();

        PackingResult result = Packers.named("anytime").pack(problem, Budget.steps(100_000));
        long bytes = result.height(); // result.isOptimal() reports whether nothing smaller exists
        // @end
        return result.isOptimal() ? bytes : -1;
    }

    @Test
    void buffersThatAreNeverLiveTogetherShareAnOffset() {
        assertThat(pack()).isEqualTo(4096 + 1000);
    }
}
