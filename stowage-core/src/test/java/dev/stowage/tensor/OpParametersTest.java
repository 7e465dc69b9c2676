package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpParametersTest {

    private final OpParameters.Rope plain = OpParameters.Rope.of(64, RopeMode.NEOX);

    @Test
    void plainRopeRotatesFromTheFirstElementWithoutScaling() {
        assertThat(plain.offset()).isZero();
        assertThat(plain.sections()).isEqualTo(RopeSections.NONE);
        assertThat(plain.frequencies()).isEqualTo(new RopeFrequencies(0, 10000f, 1f, 0f, 1f, 0f, 0f));
    }

    @Test
    void ropeIsChangedOnePartAtATime() {
        RopeSections sections = new RopeSections(16, 24, 24, 0);
        RopeFrequencies frequencies = RopeFrequencies.of(5e5f, .25f);

        assertThat(plain.withSections(sections).withOffset(32).withFrequencies(frequencies))
                .isEqualTo(new OpParameters.Rope(64, RopeMode.NEOX, 32, sections, frequencies));
    }

    @Test
    void equalParametersAreEqual() {
        assertThat(new OpParameters.MulMat(Precision.DEFAULT, MulMatHint.NONE)).isEqualTo(OpParameters.MulMat.DEFAULT);
        assertThat(new OpParameters.None()).isEqualTo(OpParameters.NONE);
    }
}
