package dev.stowage.rpc.replay;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whether a reply is as good as the recorded one: the same where it is determined, a valid handle or amount where every
 * server has its own, and numbers within the tolerance of the ops where something was computed.
 */
final class ReplyCheck {

    private ReplyCheck() {}

    /** What is wrong with a reply, or null; {@code most} is the error that computed numbers may have. */
    static @Nullable String check(
            Command command, ByteBuffer request, ByteBuffer recorded, ByteBuffer ours, double most) {
        if (ours.limit() != recorded.limit()) {
            return "a reply of " + ours.limit() + " bytes where " + recorded.limit() + " were recorded";
        }
        return switch (command) {
            case ALLOC_BUFFER -> allocation(recorded, ours);
            case BUFFER_GET_BASE -> ours.getLong(0) == 0 ? "the base address is 0" : null;
            case GET_ALIGNMENT ->
                recorded.getLong(0) % Math.max(1, ours.getLong(0)) == 0
                        ? null
                        : "the alignment " + ours.getLong(0) + " is stricter than the recorded " + recorded.getLong(0);
            case GET_DEVICE_MEMORY ->
                ours.getLong(0) < 0 || ours.getLong(0) > ours.getLong(8)
                        ? ours.getLong(0) + " bytes of " + ours.getLong(8) + " are free"
                        : null;
            case GET_TENSOR -> computed(new WireTensor(request, 0), recorded, ours, most);
            default -> ours.equals(recorded) ? null : "another reply than was recorded";
        };
    }

    private static @Nullable String allocation(ByteBuffer recorded, ByteBuffer ours) {
        if ((ours.getLong(0) == 0) != (recorded.getLong(0) == 0)) {
            return ours.getLong(0) == 0 ? "no memory where the recorded server had some" : "memory where it had none";
        }
        return ours.getLong(8) == recorded.getLong(8)
                ? null
                : "a buffer of " + ours.getLong(8) + " bytes where " + recorded.getLong(8) + " were recorded";
    }

    private static @Nullable String computed(WireTensor tensor, ByteBuffer recorded, ByteBuffer ours, double most) {
        if (ours.equals(recorded)) {
            return null;
        }
        ElementType type = ElementType.ofCode(tensor.type());
        if (type.isInteger() || type == ElementType.F64 || ours.limit() % type.bytesPerBlock() != 0) {
            return "other bytes than were recorded";
        }
        float[] expected = numbers(type, recorded);
        float[] found = numbers(type, ours);
        double error = 0;
        double norm = 0;
        for (int i = 0; i < found.length; i++) {
            double difference = (double) found[i] - expected[i];
            error += difference * difference;
            norm += (double) expected[i] * expected[i];
        }
        double relative = error / Math.max(norm, Double.MIN_NORMAL);
        return relative <= most ? null : "normalised mean squared error %.2e of at most %.0e".formatted(relative, most);
    }

    private static float[] numbers(ElementType type, ByteBuffer bytes) {
        float[] numbers = new float[bytes.limit() / type.bytesPerBlock() * type.blockSize()];
        MemorySegment from = MemorySegment.ofBuffer(bytes.duplicate().rewind());
        BlockFormat.of(type).dequantize(from, 0, numbers, 0, numbers.length);
        return numbers;
    }
}
