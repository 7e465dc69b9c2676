package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowTest {

    @Test
    void hasNoGapsUnlessTheyAreAskedFor() {
        assertThat(Window.of(2, 3)).isEqualTo(new Window(2, 3, 1));
        assertThat(Window.UNIT).isEqualTo(Window.of(1, 0));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1", "1, -1, 1", "1, 0, 0", "-2, 0, 1"})
    void movesForward(int stride, int padding, int dilation) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> new Window(stride, padding, dilation))
                .withMessageContainingAll("stride " + stride, "padding " + padding, "dilation " + dilation);
    }
}
