package dev.stowage.cuda.memory.unit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Units have every bit of the weights, wherever rows end and however they are written. */
class UnitLayoutTest {

    /** The checksums are of what the kernels store for the same bytes: their functions, compiled for a processor. */
    @ParameterizedTest
    @CsvSource({
        "Q4_0, 1056,  9536, 3d852ae9",
        "Q8_0, 1056, 17984, 88438d76",
        "Q4_K, 1280, 11520, a4cfa09d",
        "Q5_K, 1792, 19712, 6440904b",
        "Q6_K, 1280, 16832, 1885d32c",
        "F16,   328, 10496, e80958b8",
        "BF16,  264,  8448, 967dcc8a"
    })
    void packsAsTheKernels(UnitFormat format, int k, int size, String checksum) {
        UnitLayout layout = new UnitLayout(format, k, 6, 2);
        byte[] rows = new byte[(int) (layout.allRows() * layout.rowBytes())];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = (byte) (i * 31 + (i >> 8) * 17 + 7);
        }
        byte[] units = new byte[(int) layout.allocationSize()];
        new UnitModel(layout).pack(rows, units, 0, layout.allRows());
        CRC32 crc = new CRC32();
        crc.update(units);
        assertThat(units).hasSize(size);
        assertThat(Long.toHexString(crc.getValue())).isEqualTo(checksum);
    }

    @ParameterizedTest
    @EnumSource(UnitFormat.class)
    void givesBackWhatWasWrittenInPiecesOfAnyRows(UnitFormat format) {
        SplittableRandom random = new SplittableRandom(11);
        int block = Math.max(format.type().blockSize(), format.laneWeights());
        for (int blocks : new int[] {1, 2, 3, 5, 13, 33, 37}) {
            for (int rows : new int[] {1, 3, 4, 9}) {
                UnitLayout layout = new UnitLayout(format, (long) block * blocks, rows, 3);
                byte[] units = new byte[(int) layout.allocationSize()];
                random.nextBytes(units);
                byte[] expected = new byte[(int) (layout.allRows() * layout.rowBytes())];
                random.nextBytes(expected);
                write(layout, expected, units, random);
                byte[] read = new byte[expected.length];
                new UnitModel(layout).unpack(units, read, 0, layout.allRows());
                assertThat(read).as(layout.toString()).isEqualTo(expected);
            }
        }
    }

    /** Every second piece first, then the others. */
    private static void write(UnitLayout layout, byte[] rows, byte[] units, SplittableRandom random) {
        int rowBytes = (int) layout.rowBytes();
        int size = random.nextInt(1, 4);
        for (int start : new int[] {0, size}) {
            for (int row = start; row < layout.allRows(); row += 2 * size) {
                int count = (int) Math.min(size, layout.allRows() - row);
                byte[] piece = Arrays.copyOfRange(rows, row * rowBytes, (row + count) * rowBytes);
                new UnitModel(layout).pack(piece, units, row, count);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(UnitFormat.class)
    void wholeUnitsTakeNoMoreThanTheWeights(UnitFormat format) {
        Layout tensor = Layout.contiguous(format.type(), 2048, 8);
        UnitLayout layout = UnitLayout.of(tensor).orElseThrow();
        assertThat(layout.allocationSize()).isEqualTo(tensor.byteSize());
        assertThat(layout.groupBytes() % 16).isZero();
    }

    @Test
    void suitsMatricesOfKnownTypesWithoutGaps() {
        assertThat(UnitLayout.suits(Layout.contiguous(ElementType.Q4_0, 96, 5, 4)))
                .isTrue();
        assertThat(UnitLayout.suits(Layout.contiguous(ElementType.F16, 24, 5))).isTrue();
        assertThat(UnitLayout.suits(Layout.contiguous(ElementType.F16, 20, 5))).isFalse();
        assertThat(UnitLayout.suits(Layout.contiguous(ElementType.F32, 256, 5))).isFalse();
        assertThat(UnitLayout.suits(Layout.contiguous(ElementType.Q4_0, 96, 5, 4, 2)))
                .isFalse();
        assertThat(UnitLayout.suits(Layout.contiguous(ElementType.Q4_0, 96, 0))).isFalse();
    }
}
