package dev.stowage.rpc.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How near a computed reply must be to the recorded one. */
class ReplyCheckTest {

    private static final int COUNT = 256;

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Numbers of a type, each off by a share of itself. */
    private static ByteBuffer numbers(ElementType type, float share) {
        float[] values = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = (i - 100) * (1 + share);
        }
        ByteBuffer bytes = little((int) type.rowBytes(COUNT));
        BlockFormat.of(type).quantize(values, 0, COUNT, MemorySegment.ofBuffer(bytes), 0);
        return bytes.clear();
    }

    private static @Nullable String check(ElementType type, ByteBuffer recorded, ByteBuffer ours) {
        ByteBuffer request = little(WireTensor.BYTES + 16);
        new WireTensor(request, 0).type(type.code());
        return ReplyCheck.check(Command.GET_TENSOR, request, recorded, ours, new Tolerance().most());
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16", "Q8_0", "Q5_0", "Q4_0", "IQ4_NL"})
    void numbersOfAnyTypeAreComparedByTheirError(ElementType type) {
        ByteBuffer recorded = numbers(type, 0);
        assertThat(check(type, recorded, numbers(type, 0))).isNull();
        assertThat(check(type, recorded, numbers(type, 0.01f))).isNull();
        assertThat(check(type, recorded, numbers(type, 0.1f))).contains("normalised mean squared error");
    }

    @Test
    void whatIsNoNumberMustBeTheSame() {
        assertThat(check(
                        ElementType.I32,
                        little(8).putInt(1).clear(),
                        little(8).putInt(1).clear()))
                .isNull();
        assertThat(check(
                        ElementType.I32,
                        little(8).putInt(1).clear(),
                        little(8).putInt(2).clear()))
                .contains("other bytes");
        ByteBuffer notANumber = little(4).putFloat(Float.NaN).clear();
        assertThat(check(ElementType.F32, little(4).putFloat(1).clear(), notANumber))
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"F32, 5e-4", "F16, 5e-4", "Q8_0, 5e-4", "Q5_1, 0.0009765625", "Q4_0, 0.00390625"})
    void graphsThatRoundToFewBitsMayBeFurtherOff(ElementType cache, double most) {
        ByteBuffer message = little((int) GraphMessage.bytes(0, 1));
        message.putInt(8, 1);
        WireTensor written = new WireTensor(message, 12);
        written.type(cache.code());
        written.op(Dialect.DEFAULT.number(Op.SET_ROWS));
        Tolerance tolerance = new Tolerance();
        tolerance.note(new GraphMessage(message), Dialect.DEFAULT);
        assertThat(tolerance.most()).isEqualTo(most);
    }
}
