package dev.stowage.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a problem holds, and which buffers it refuses. */
class ProblemTest {

    @Test
    void keepsBuffersByIndex() {
        Problem problem =
                Problem.builder().add(0, 3, 5).addFixed("x", 1, 4, 8, 16, 32).build();

        assertThat(problem.count()).isEqualTo(2);
        assertThat(problem.id(0)).isEqualTo("0");
        assertThat(problem.isFixed(0)).isFalse();
        assertThat(problem.alignment(0)).isEqualTo(1);
        assertThat(problem.id(1)).isEqualTo("x");
        assertThat(problem.from(1)).isEqualTo(1);
        assertThat(problem.to(1)).isEqualTo(4);
        assertThat(problem.size(1)).isEqualTo(8);
        assertThat(problem.alignment(1)).isEqualTo(16);
        assertThat(problem.fixedOffset(1)).hasValue(32);
    }

    @Test
    void isNotChangedByItsBuilder() {
        ProblemBuilder builder = Problem.builder().add(0, 1, 1);
        Problem problem = builder.build();
        builder.add(0, 1, 1);

        assertThat(problem.count()).isEqualTo(1);
        assertThat(builder.count()).isEqualTo(2);
    }

    @Test
    void refusesALifetimeWithoutAMoment() {
        refuses(() -> Problem.builder().add("a", 3, 3, 1), "'a'", "[3, 3)");
    }

    @Test
    void refusesANegativeSize() {
        refuses(() -> Problem.builder().add("a", 0, 1, -1), "'a'", "-1 bytes");
    }

    @Test
    void refusesAnAlignmentBelowOne() {
        refuses(() -> Problem.builder().addAligned("a", 0, 1, 1, 0), "'a'", "alignment 0");
    }

    @Test
    void refusesAFixedOffsetBelowZero() {
        refuses(() -> Problem.builder().addFixed("a", 0, 1, 1, -4), "'a'", "-4");
    }

    @Test
    void refusesAFixedOffsetThatBreaksTheAlignment() {
        refuses(() -> Problem.builder().addFixed("a", 0, 1, 1, 8, 12), "'a'", "12", "8");
    }

    @Test
    void refusesMoreBytesThanCanBeCounted() {
        ProblemBuilder builder = Problem.builder().add("a", 0, 1, ProblemBuilder.MOST_BYTES - 11);
        refuses(() -> builder.add("b", 5, 6, 11), "'b'", "11 bytes");
        refuses(() -> builder.addAligned("c", 5, 6, 1, 1L << 62), "'c'", "alignment 4611686018427387904");
        refuses(() -> builder.addFixed("d", 5, 6, 1, Long.MAX_VALUE), "'d'", "fixed at 9223372036854775807");
        assertThat(builder.count()).isEqualTo(1);
    }

    @Test
    void refusesFixedBuffersOnTheSameBytes() {
        ProblemBuilder builder = Problem.builder().addFixed("a", 0, 3, 10, 0).addFixed("b", 2, 4, 10, 9);
        refuses(builder::build, "'a'", "'b'");
    }

    @Test
    void allowsFixedBuffersOnTheSameBytesAtDifferentTimes() {
        Problem problem = Problem.builder()
                .addFixed("a", 0, 3, 10, 0)
                .addFixed("b", 3, 4, 10, 9)
                .build();

        assertThat(problem.count()).isEqualTo(2);
    }

    private static void refuses(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(InvalidPlanException.class).hasMessageContainingAll(words);
    }
}
