package dev.stowage.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmUpTest {
    private static final long SECOND = 1_000_000_000L;

    private static WarmUp after(long... nanos) {
        WarmUp warmUp = new WarmUp();
        for (long each : nanos) {
            warmUp.ran(each);
        }
        return warmUp;
    }

    @Test
    void isNotOverBeforeItBegan() {
        assertThat(after().isOver()).isFalse();
    }

    @Test
    void goesOnWhileRunsGetFaster() {
        assertThat(after(9 * SECOND, 8 * SECOND, 7 * SECOND, 6 * SECOND, 5 * SECOND, 4 * SECOND)
                        .isOver())
                .isFalse();
    }

    @Test
    void isOverOnceSeveralRunsWereNoFaster() {
        WarmUp warmUp = after(3 * SECOND, 2 * SECOND, 2 * SECOND, 2 * SECOND, 2 * SECOND);
        assertThat(warmUp.isOver()).isFalse();

        warmUp.ran(2 * SECOND);

        assertThat(warmUp.isOver()).isTrue();
    }

    @Test
    void shortRunsAreRepeatedForAWhile() {
        WarmUp warmUp = new WarmUp();
        for (int i = 0; i < 10; i++) {
            warmUp.ran(SECOND / 1000);
        }

        assertThat(warmUp.isOver()).isFalse();
    }

    @Test
    void endsAtSomeTimeHoweverMuchFasterItGets() {
        WarmUp warmUp = new WarmUp();
        long nanos = 40 * SECOND;
        warmUp.ran(nanos);
        assertThat(warmUp.isOver()).isFalse();

        warmUp.ran(nanos / 2);

        assertThat(warmUp.isOver()).isTrue();
    }
}
