package dev.stowage.reference.quant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GgmlCompatibilityTest {

    static Stream<ElementType> quantizedTypes() {
        return Arrays.stream(ElementType.values()).filter(ElementType::isQuantized);
    }

    /** For q8_1 ggml has no way back. */
    static Stream<ElementType> dequantizedTypes() {
        return quantizedTypes().filter(type -> type != ElementType.Q8_1);
    }

    @ParameterizedTest
    @MethodSource("quantizedTypes")
    void quantisesToTheSameBytes(ElementType type) {
        byte[] expected = GgmlResults.of(type).quantized;
        int count = expected.length / type.bytesPerBlock() * type.blockSize();
        byte[] bytes = new byte[expected.length];
        BlockFormat.of(type).quantize(GgmlResults.inputs(), 0, count, MemorySegment.ofArray(bytes), 0);

        for (int block = 0; block < expected.length / type.bytesPerBlock(); block++) {
            int from = block * type.bytesPerBlock();
            int to = from + type.bytesPerBlock();
            assertThat(Arrays.copyOfRange(bytes, from, to))
                    .as("%s block %d", type, block)
                    .isEqualTo(Arrays.copyOfRange(expected, from, to));
        }
    }

    @ParameterizedTest
    @MethodSource("dequantizedTypes")
    void dequantisesItsOwnBlocksToTheSameFloats(ElementType type) {
        GgmlResults.Result expected = GgmlResults.of(type);
        float[] floats = dequantize(type, expected.quantized);

        for (int row = 0; row < expected.checksums.length; row++) {
            assertThat(checksum(floats, row * GgmlResults.ROW))
                    .as("%s row %d", type, row)
                    .isEqualTo(expected.checksums[row]);
        }
    }

    @ParameterizedTest
    @MethodSource("dequantizedTypes")
    void dequantisesAnyBlockToTheSameFloats(ElementType type) {
        GgmlResults.Result expected = GgmlResults.of(type);

        assertThat(bits(dequantize(type, expected.random))).as("%s", type).isEqualTo(bits(expected.dequantized));
    }

    private static float[] dequantize(ElementType type, byte[] bytes) {
        float[] floats = new float[bytes.length / type.bytesPerBlock() * type.blockSize()];
        BlockFormat.of(type).dequantize(MemorySegment.ofArray(bytes), 0, floats, 0, floats.length);
        return floats;
    }

    private static int checksum(float[] floats, int from) {
        ByteBuffer bytes = ByteBuffer.allocate(GgmlResults.ROW * Float.BYTES);
        for (int i = 0; i < GgmlResults.ROW; i++) {
            bytes.putInt(Float.floatToRawIntBits(floats[from + i]));
        }
        CRC32 checksum = new CRC32();
        checksum.update(bytes.flip());
        return (int) checksum.getValue();
    }

    private static int[] bits(float[] floats) {
        return IntStream.range(0, floats.length)
                .map(i -> Float.floatToRawIntBits(floats[i]))
                .toArray();
    }
}
