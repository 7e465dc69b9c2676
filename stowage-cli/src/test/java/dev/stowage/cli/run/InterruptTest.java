package dev.stowage.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterruptTest {
    private final List<String> happened = new ArrayList<>();
    private final Interrupt interrupt = new Interrupt(() -> happened.add("hint"), () -> happened.add("end"));

    @Test
    void stopsAnAnswerAndNotTheProgram() {
        interrupt.answering(true);
        interrupt.raise();
        interrupt.raise();

        assertThat(interrupt.isRaised()).isTrue();
        assertThat(happened).isEmpty();
    }

    @Test
    void theNextAnswerIsNotStopped() {
        interrupt.answering(true);
        interrupt.raise();
        interrupt.answering(false);
        interrupt.answering(true);

        assertThat(interrupt.isRaised()).isFalse();
    }

    @Test
    void whereNothingIsAnsweredTheSecondOneEnds() {
        interrupt.raise();
        assertThat(happened).containsExactly("hint");

        interrupt.raise();
        assertThat(happened).containsExactly("hint", "end");
        assertThat(interrupt.isRaised()).isFalse();
    }

    @Test
    void anAnswerInBetweenBeginsTheCountAnew() {
        interrupt.raise();
        interrupt.answering(true);
        interrupt.answering(false);
        interrupt.raise();

        assertThat(happened).containsExactly("hint", "hint");
    }
}
