package dev.stowage.testkit.op;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Encodes numbers as the bytes of a tensor of any type, and decodes them. */
public final class ElementCodec {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private ElementCodec() {}

    /**
     * The bytes of a tensor without gaps.
     *
     * @param rowLength the elements of a row, a whole number of blocks
     * @param values all elements in the order of memory
     */
    public static byte[] encode(ElementType type, long rowLength, double[] values) {
        long rows = rowLength == 0 ? 0 : values.length / rowLength;
        byte[] bytes = new byte[Math.toIntExact(type.rowBytes(rowLength) * rows)];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (type.isQuantized() || type == ElementType.F16 || type == ElementType.BF16) {
            float[] floats = new float[values.length];
            for (int i = 0; i < values.length; i++) {
                floats[i] = (float) values[i];
            }
            BlockFormat.of(type).quantize(floats, 0, floats.length, segment, 0);
        } else {
            for (int i = 0; i < values.length; i++) {
                write(type, segment, (long) i * type.bytesPerBlock(), values[i]);
            }
        }
        return bytes;
    }

    /**
     * The elements of a tensor, the first dimension running fastest.
     *
     * @param bytes from its first byte to its last, gaps included
     */
    public static double[] decode(Layout layout, byte[] bytes) {
        double[] values = new double[Math.toIntExact(layout.shape().elements())];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Shape shape = layout.shape();
        int next = 0;
        for (long i3 = 0; i3 < shape.d3(); i3++) {
            for (long i2 = 0; i2 < shape.d2(); i2++) {
                for (long i1 = 0; i1 < shape.d1(); i1++) {
                    long row = i1 * layout.strides().s1()
                            + i2 * layout.strides().s2()
                            + i3 * layout.strides().s3();
                    next = readRow(layout, segment, row, values, next);
                }
            }
        }
        return values;
    }

    private static int readRow(Layout layout, MemorySegment segment, long row, double[] values, int first) {
        ElementType type = layout.type();
        int next = first;
        if (!type.isQuantized()) {
            for (long i0 = 0; i0 < layout.shape().d0(); i0++) {
                values[next++] = read(type, segment, row + i0 * layout.strides().s0());
            }
            return next;
        }
        float[] block = new float[type.blockSize()];
        for (long i0 = 0; i0 < layout.shape().d0() / block.length; i0++) {
            MemorySegment bytes = segment.asSlice(row + i0 * layout.strides().s0(), type.bytesPerBlock());
            BlockFormat.of(type).dequantize(bytes, 0, block, 0, block.length);
            for (float element : block) {
                values[next++] = element;
            }
        }
        return next;
    }

    private static void write(ElementType type, MemorySegment segment, long at, double value) {
        switch (type) {
            case F32 -> segment.set(FLOAT, at, (float) value);
            case F64 -> segment.set(DOUBLE, at, value);
            case I8 -> segment.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case I16 -> segment.set(SHORT, at, (short) value);
            case I32 -> segment.set(INT, at, (int) value);
            case I64 -> segment.set(LONG, at, (long) value);
            default -> throw new IllegalArgumentException(type + " is written in blocks");
        }
    }

    private static double read(ElementType type, MemorySegment segment, long at) {
        return switch (type) {
            case F32 -> segment.get(FLOAT, at);
            case F64 -> segment.get(DOUBLE, at);
            case F16 -> Float.float16ToFloat(segment.get(SHORT, at));
            case BF16 -> Float.intBitsToFloat(segment.get(SHORT, at) << Short.SIZE);
            case I8 -> segment.get(ValueLayout.JAVA_BYTE, at);
            case I16 -> segment.get(SHORT, at);
            case I32 -> segment.get(INT, at);
            case I64 -> segment.get(LONG, at);
            default -> throw new IllegalArgumentException(type + " is read in blocks");
        };
    }
}
