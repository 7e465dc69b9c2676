package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RopeModeTest {

    @ParameterizedTest
    @EnumSource
    void isFoundByItsCode(RopeMode mode) {
        assertThat(RopeMode.ofCode(mode.code())).isEqualTo(mode);
    }

    @Test
    void hasSectionsWhereTokensHaveFourPositions() {
        assertThat(RopeMode.values())
                .filteredOn(RopeMode::usesSections)
                .containsExactly(RopeMode.MROPE, RopeMode.VISION, RopeMode.IMROPE);
    }

    @Test
    void refusesACodeNoModeHas() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> RopeMode.ofCode(4))
                .withMessageContainingAll("unknown rope mode 4", "0, 2, 8, 24 and 40");
    }
}
