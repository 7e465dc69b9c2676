package dev.stowage.reference.kernel;

import dev.stowage.memory.BoundTensor;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.reference.quant.bits.FloatFormats;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The elements of a tensor by their index, whatever its type and strides: how kernels here read and write. Quantised
 * rows are decoded block by block as they are read; they are written as whole rows.
 */
public final class Elements {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    /** What is done with every index of a shape. */
    @FunctionalInterface
    public interface Visitor {
        void visit(long i0, long i1, long i2, long i3);
    }

    /** What is done with every row of a shape. */
    @FunctionalInterface
    public interface RowVisitor {
        void visit(long i1, long i2, long i3);
    }

    private final ElementType type;
    private final Shape shape;
    private final Strides strides;
    private final MemorySegment bytes;
    private final float[] block;
    private long blockAt = -1;

    private Elements(Layout layout, MemorySegment bytes) {
        this.type = layout.type();
        this.shape = layout.shape();
        this.strides = layout.strides();
        this.bytes = bytes;
        this.block = new float[type.isQuantized() ? type.blockSize() : 0];
    }

    /** The elements of a tensor that is stored in host memory. */
    public static Elements of(BoundTensor tensor) {
        return new Elements(tensor.layout(), tensor.segment());
    }

    /** The elements a tensor has now, for a kernel that goes on reading them after its result was written over them. */
    public static Elements copyOf(BoundTensor tensor) {
        byte[] now = tensor.segment().toArray(ValueLayout.JAVA_BYTE);
        return new Elements(tensor.layout(), MemorySegment.ofArray(now));
    }

    /** A part of a tensor in a layout of its own, which begins {@code offset} bytes after the tensor's first. */
    public static Elements within(BoundTensor tensor, long offset, Layout layout) {
        return new Elements(layout, tensor.segment().asSlice(offset, layout.byteSize()));
    }

    /** Calls the visitor for every index of a shape, the first dimension running fastest. */
    public static void forEach(Shape shape, Visitor visitor) {
        forEachRow(shape, (i1, i2, i3) -> {
            for (long i0 = 0; i0 < shape.d0(); i0++) {
                visitor.visit(i0, i1, i2, i3);
            }
        });
    }

    /** Calls the visitor for every row of a shape. */
    public static void forEachRow(Shape shape, RowVisitor visitor) {
        for (long i3 = 0; i3 < shape.d3(); i3++) {
            for (long i2 = 0; i2 < shape.d2(); i2++) {
                for (long i1 = 0; i1 < shape.d1(); i1++) {
                    visitor.visit(i1, i2, i3);
                }
            }
        }
    }

    public Shape shape() {
        return shape;
    }

    public ElementType type() {
        return type;
    }

    /** The element at an index, as a number. */
    public double get(long i0, long i1, long i2, long i3) {
        long row = i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3();
        if (type.isQuantized()) {
            return fromBlock(row + i0 / type.blockSize() * strides.s0(), (int) (i0 % type.blockSize()));
        }
        long at = row + i0 * strides.s0();
        return switch (type) {
            case F32 -> bytes.get(FLOAT, at);
            case F64 -> bytes.get(DOUBLE, at);
            case F16 -> Float.float16ToFloat(bytes.get(SHORT, at));
            case BF16 -> FloatFormats.fromBrainFloat(bytes.get(SHORT, at));
            default -> integer(at);
        };
    }

    /** The element at an index repeated over a larger shape: each index is taken modulo this tensor's own dimension. */
    public double getRepeated(long i0, long i1, long i2, long i3) {
        return get(i0 % shape.d0(), i1 % shape.d1(), i2 % shape.d2(), i3 % shape.d3());
    }

    /** Whether there is an element at an index, which may be negative. */
    public boolean contains(long i0, long i1, long i2, long i3) {
        return Math.min(Math.min(i0, i1), Math.min(i2, i3)) >= 0
                && i0 < shape.d0()
                && i1 < shape.d1()
                && i2 < shape.d2()
                && i3 < shape.d3();
    }

    /** The element at an index, or zero where there is none: what a window sees that reaches over the edge. */
    public double getOrZero(long i0, long i1, long i2, long i3) {
        return contains(i0, i1, i2, i3) ? get(i0, i1, i2, i3) : 0;
    }

    /** Element number {@code n} as a number, counted with the first dimension running fastest. */
    public double getInOrder(long n) {
        long n1 = n / shape.d0();
        long n2 = n1 / shape.d1();
        return get(n % shape.d0(), n1 % shape.d1(), n2 % shape.d2(), n2 / shape.d2());
    }

    /** The element at an index, of a tensor of whole numbers. */
    public long getLong(long i0, long i1, long i2, long i3) {
        return integer(i0 * strides.s0() + i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3());
    }

    /** {@link #getRepeated} of a tensor of whole numbers. */
    public long getLongRepeated(long i0, long i1, long i2, long i3) {
        return getLong(i0 % shape.d0(), i1 % shape.d1(), i2 % shape.d2(), i3 % shape.d3());
    }

    /** {@link #getInOrder} of a tensor of whole numbers. */
    public long getLongInOrder(long n) {
        long n1 = n / shape.d0();
        long n2 = n1 / shape.d1();
        return getLong(n % shape.d0(), n1 % shape.d1(), n2 % shape.d2(), n2 / shape.d2());
    }

    /** The shape counted in blocks: of a plain type, whose blocks are single elements, the shape itself. */
    public Shape blocks() {
        return shape.with(0, shape.d0() / type.blockSize());
    }

    /** The bytes of a block, to be copied as they are; {@code k0} counts the blocks of the row. */
    public MemorySegment block(long k0, long i1, long i2, long i3) {
        long at = k0 * strides.s0() + i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3();
        return bytes.asSlice(at, type.bytesPerBlock());
    }

    /** The bytes of block number {@code n}, counted with the first dimension running fastest. */
    public MemorySegment blockInOrder(long n) {
        Shape blocks = blocks();
        long n1 = n / blocks.d0();
        long n2 = n1 / blocks.d1();
        return block(n % blocks.d0(), n1 % blocks.d1(), n2 % blocks.d2(), n2 / blocks.d2());
    }

    private long integer(long at) {
        return switch (type) {
            case I8 -> bytes.get(BYTE, at);
            case I16 -> bytes.get(SHORT, at);
            case I32 -> bytes.get(INT, at);
            case I64 -> bytes.get(LONG, at);
            default -> throw new IllegalArgumentException(type + " holds no whole numbers");
        };
    }

    private double fromBlock(long at, int element) {
        if (at != blockAt) {
            BlockFormat.of(type).dequantize(bytes, at, block, 0, block.length);
            blockAt = at;
        }
        return block[element];
    }

    /** Writes an element; numbers are rounded to the type, towards zero where it holds whole numbers. */
    public void set(long i0, long i1, long i2, long i3, double value) {
        long at = i0 * strides.s0() + i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3();
        switch (type) {
            case F32 -> bytes.set(FLOAT, at, (float) value);
            case F64 -> bytes.set(DOUBLE, at, value);
            case F16 -> bytes.set(SHORT, at, Float.floatToFloat16((float) value));
            case BF16 -> bytes.set(SHORT, at, FloatFormats.toBrainFloat((float) value));
            default -> setInteger(at, (long) value);
        }
    }

    /** Writes an element of a tensor of whole numbers. */
    public void setLong(long i0, long i1, long i2, long i3, long value) {
        setInteger(i0 * strides.s0() + i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3(), value);
    }

    /** Writes element number {@code n}, counted with the first dimension running fastest. */
    public void setInOrder(long n, double value) {
        long n1 = n / shape.d0();
        long n2 = n1 / shape.d1();
        set(n % shape.d0(), n1 % shape.d1(), n2 % shape.d2(), n2 / shape.d2(), value);
    }

    private void setInteger(long at, long value) {
        switch (type) {
            case I8 -> bytes.set(BYTE, at, (byte) value);
            case I16 -> bytes.set(SHORT, at, (short) value);
            case I32 -> bytes.set(INT, at, (int) value);
            case I64 -> bytes.set(LONG, at, value);
            default -> throw new IllegalArgumentException("single elements of " + type + " cannot be written");
        }
    }

    /** A row as numbers. */
    public double[] row(long i1, long i2, long i3) {
        double[] row = new double[Math.toIntExact(shape.d0())];
        for (int i0 = 0; i0 < row.length; i0++) {
            row[i0] = get(i0, i1, i2, i3);
        }
        return row;
    }

    /** The rows of a matrix as numbers. */
    public double[][] matrix(long i2, long i3) {
        double[][] rows = new double[Math.toIntExact(shape.d1())][];
        for (int i1 = 0; i1 < rows.length; i1++) {
            rows[i1] = row(i1, i2, i3);
        }
        return rows;
    }

    /** Writes a whole row, quantised where the type is. */
    public void setRow(long i1, long i2, long i3, double[] row) {
        if (type.isQuantized()) {
            float[] floats = new float[row.length];
            for (int i = 0; i < row.length; i++) {
                floats[i] = (float) row[i];
            }
            long at = i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3();
            BlockFormat.of(type).quantize(floats, 0, floats.length, bytes, at);
            blockAt = -1;
        } else {
            for (int i0 = 0; i0 < row.length; i0++) {
                set(i0, i1, i2, i3, row[i0]);
            }
        }
    }
}
