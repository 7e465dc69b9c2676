package dev.stowage.cuda.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.program.Launch;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where the copy engine finds the elements of rows. */
class HalfMatrixTest {

    private static final int K = 1536;
    private static final int ROWS = 20;
    private static final int MATRICES = 3;

    private static Launch.Argument at(long address) {
        return new Launch.Scalar(ParameterType.POINTER, address);
    }

    @Test
    void elementsOfUnitsAreWhereTheLayoutHasThem() {
        UnitLayout layout = new UnitLayout(UnitFormat.F16, K, ROWS, MATRICES);
        Launch.TensorArgument boxes =
                (Launch.TensorArgument) HalfMatrix.inUnits(at(4096), (long) ROWS * MATRICES, K, HalfType.F16)
                        .boxes(128);

        assertThat(boxes.sizes()).isEqualTo(List.of(256L, 4L, (long) K / 256, (long) ROWS * MATRICES / 4));
        assertThat(boxes.box()).isEqualTo(List.of(64, 4, 1, 32));
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            long row = random.nextInt(ROWS * MATRICES);
            long k = random.nextInt(K);
            long inBoxes = k % 256 * 2
                    + row % 4 * boxes.strides().get(0)
                    + k / 256 * boxes.strides().get(1)
                    + row / 4 * boxes.strides().get(2);
            long inUnit = row % UnitFormat.ROWS * UnitFormat.LANES * 16 + k % 256 / 8 * 16 + k % 8 * 2;
            assertThat(inBoxes).isEqualTo(layout.unitOffset(row, k / 256) + inUnit);
        }
    }

    @Test
    void rowsThatEndWithinAUnitAreRefused() {
        assertThat(HalfMatrix.canBeInUnits(896)).isFalse();
        assertThatThrownBy(() -> HalfMatrix.inUnits(at(0), 4, 896, HalfType.F16))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void rowsInUnitsHaveNoStride() {
        HalfMatrix units = HalfMatrix.inUnits(at(0), 4, 256, HalfType.BF16);
        assertThatThrownBy(units::rowStride).isInstanceOf(IllegalStateException.class);
    }
}
