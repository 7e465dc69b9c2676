package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StridesTest {

    private final Strides strides = new Strides(4, 8, 32, 0);

    @Test
    void areKnownByNumber() {
        assertThat(strides.stride(0)).isEqualTo(4);
        assertThat(strides.stride(1)).isEqualTo(8);
        assertThat(strides.stride(2)).isEqualTo(32);
        assertThat(strides.stride(3)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4})
    void areThoseOfFourDimensions(int dimension) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> strides.stride(dimension))
                .withMessageContaining(Integer.toString(dimension));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void areNotNegative(int dimension) {
        long[] values = {1, 1, 1, 1};
        values[dimension] = -5;

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> new Strides(values[0], values[1], values[2], values[3]))
                .withMessageContainingAll("negative", "-5");
    }

    @Test
    void areWrittenAllFour() {
        assertThat(strides).hasToString("[4, 8, 32, 0]");
    }
}
