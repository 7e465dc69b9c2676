package dev.stowage.rpc.replay;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Whether a reply is as good as the recorded one: the same where it is determined, a valid handle or amount where every
 * server has its own, and numbers within the tolerance of the ops where something was computed.
 */
final class ReplyCheck {

    /** The normalised mean squared error that ggml's own tests of backends allow to a matrix product. */
    private static final double TOLERANCE = 5e-4;

    private ReplyCheck() {}

    /** What is wrong with a reply, or null. */
    static @Nullable String check(Command command, ByteBuffer request, ByteBuffer recorded, ByteBuffer ours) {
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
            case GET_TENSOR -> computed(new WireTensor(request, 0), recorded, ours);
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

    private static @Nullable String computed(WireTensor tensor, ByteBuffer recorded, ByteBuffer ours) {
        if (ours.equals(recorded)) {
            return null;
        }
        int bytes = tensor.type() == ElementType.F32.code() ? Float.BYTES : Short.BYTES;
        if (tensor.type() != ElementType.F32.code() && tensor.type() != ElementType.F16.code()) {
            return "other bytes than were recorded";
        }
        double error = 0;
        double norm = 0;
        for (int at = 0; at + bytes <= ours.limit(); at += bytes) {
            double expected = number(recorded, at, bytes);
            double difference = number(ours, at, bytes) - expected;
            error += difference * difference;
            norm += expected * expected;
        }
        double relative = error / Math.max(norm, Double.MIN_NORMAL);
        return relative <= TOLERANCE
                ? null
                : "normalised mean squared error %.2e of at most %.0e".formatted(relative, TOLERANCE);
    }

    private static double number(ByteBuffer from, int at, int bytes) {
        ByteBuffer values = from.order(ByteOrder.LITTLE_ENDIAN);
        return bytes == Float.BYTES ? values.getFloat(at) : Float.float16ToFloat(values.getShort(at));
    }
}
