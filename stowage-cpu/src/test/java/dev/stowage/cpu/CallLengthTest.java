package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.machine.row.RowSupport;
import dev.stowage.device.Device;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * While machine code runs, the JVM cannot stop its thread, so rows that would take it long are left to the Vector API: those of
 * models are far shorter.
 */
class CallLengthTest {

    private static final Device DEVICE = new CpuProvider().devices().getFirst();

    @ParameterizedTest
    @EnumSource(names = {"Q4_0", "Q5_0", "Q8_0", "Q4_K", "Q5_K", "Q6_K"})
    void weightsWithVeryLongRowsAreNotKeptInTiles(ElementType type) {
        assertThat(DEVICE.weightsType(Layout.contiguous(type, 1 << 19, 32)).name())
                .isNotEqualTo("cpu tiles");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 24, (1 << 20) + 16, Long.MAX_VALUE - 15})
    void rowsThatAreNoWholeVectorsOrVeryLongAreNotGivenToMachineCode(long elements) {
        assertThat(RowSupport.kernels(elements)).isEmpty();
        assertThat(RowSupport.attention(elements)).isEmpty();
    }
}
