package dev.stowage.cpu.machine.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.machine.matrix.MatrixUnit.Shape;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is written for the registers of AMX, as the manual has it. */
class AmxUnitTest {

    @Test
    void theConfigurationHasTheBytesAndRowsOfEachRegister() {
        List<Shape> shapes = List.of(new Shape(12, 64), new Shape(12, 32), new Shape(8, 64));

        assertThat(AmxUnit.word(shapes, 0)).isEqualTo(1);
        assertThat(AmxUnit.word(shapes, 16)).isEqualTo(0x0040_0020_0040L);
        assertThat(AmxUnit.word(shapes, 48)).isEqualTo(0x08_0C_0CL);
        assertThat(AmxUnit.word(shapes, 8)).isZero();
        assertThat(AmxUnit.word(shapes, 24)).isZero();
        assertThat(AmxUnit.word(shapes, 56)).isZero();
    }

    @Test
    void allEightRegistersCanBeConfigured() {
        List<Shape> shapes = Collections.nCopies(8, new Shape(16, 64));

        assertThat(AmxUnit.word(shapes, 16)).isEqualTo(0x0040_0040_0040_0040L);
        assertThat(AmxUnit.word(shapes, 24)).isEqualTo(0x0040_0040_0040_0040L);
        assertThat(AmxUnit.word(shapes, 48)).isEqualTo(0x1010_1010_1010_1010L);
    }
}
