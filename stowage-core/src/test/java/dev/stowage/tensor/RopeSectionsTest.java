package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RopeSectionsTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void areNotNegative(int section) {
        int[] sizes = {8, 4, 4, 0};
        sizes[section] = -7;

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> new RopeSections(sizes[0], sizes[1], sizes[2], sizes[3]))
                .withMessageContainingAll("rope section is negative", "-7");
    }
}
