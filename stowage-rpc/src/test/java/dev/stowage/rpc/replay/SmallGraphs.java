package dev.stowage.rpc.replay;

import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** Graphs of one node with any op and operands of any small shape, with a result whose shape is likely for the op. */
final class SmallGraphs {

    private static final int[] SIZES = {1, 1, 2, 3, 4, 8, 32, 64, 256};

    private static final ElementType[] TYPES = {
        ElementType.F32,
        ElementType.F32,
        ElementType.F32,
        ElementType.F16,
        ElementType.I32,
        ElementType.Q8_0,
        ElementType.Q4_0,
        ElementType.Q4_K,
        ElementType.BF16
    };

    private static final int OPS = 101;
    private static final long APART = 1 << 18;

    private final SplittableRandom random;
    private long base;

    SmallGraphs(SplittableRandom random) {
        this.random = random;
    }

    /** Where the first buffer begins. */
    void base(long address) {
        base = base == 0 ? address : base;
    }

    /** The payload of a message with one graph. */
    ByteBuffer next() {
        int operands = random.nextInt(1, 5);
        int bytes = 12 + 8 + WireTensor.BYTES * (operands + 1);
        ByteBuffer message = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(4, 1).putLong(8, operands + 1).putInt(16, operands + 1);
        int[] first = shape();
        int[] second = random.nextBoolean() ? first : shape();
        second[0] = random.nextInt(3) == 0 ? second[0] : first[0];
        for (int i = 0; i < operands; i++) {
            ElementType type = TYPES[random.nextInt(TYPES.length)];
            describe(message, i, type, i == 0 ? first : second);
        }
        WireTensor result = describe(message, operands, ElementType.F32, result(first, second));
        result.op(random.nextInt(OPS));
        result.flags(WireTensor.COMPUTE);
        for (int i = 0; i < operands; i++) {
            result.src(i, i + 1);
        }
        for (int i = 0; i < WireTensor.PARAMETERS; i++) {
            result.parameter(i, random.nextInt(3) == 0 ? random.nextInt(-1, 5) : 0);
        }
        return message;
    }

    private int[] shape() {
        int[] shape = {SIZES[random.nextInt(SIZES.length)], SIZES[random.nextInt(6)], 1, 1};
        shape[2] = random.nextInt(3) == 0 ? 2 : 1;
        return shape;
    }

    private int[] result(int[] a, int[] b) {
        return switch (random.nextInt(6)) {
            case 0 -> new int[] {a[1], b[1], b[2], b[3]};
            case 1 -> new int[] {a[0], b[0], b[1], b[2]};
            case 2 -> b.clone();
            case 3 -> new int[] {1, a[1], a[2], a[3]};
            default -> a.clone();
        };
    }

    private WireTensor describe(ByteBuffer message, int index, ElementType type, int[] shape) {
        WireTensor tensor = new WireTensor(message, 20 + WireTensor.BYTES * index);
        tensor.id(index + 1);
        tensor.type(type.code());
        tensor.buffer(1);
        tensor.data(base + APART * index);
        long[] strides = {type.bytesPerBlock(), 0, 0, 0};
        strides[1] = shape[0] % type.blockSize() == 0 ? type.rowBytes(shape[0]) : type.bytesPerBlock();
        strides[2] = strides[1] * shape[1];
        strides[3] = strides[2] * shape[2];
        for (int i = 0; i < 4; i++) {
            tensor.ne(i, shape[i]);
            tensor.nb(i, (int) strides[i]);
        }
        return tensor;
    }
}
