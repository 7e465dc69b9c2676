package dev.stowage.reference.kernel;

import dev.stowage.device.Backend;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A graph with numbers in it, computed on the reference device: what the tests of kernels are written with. It knows
 * types and strides by itself and shares no code with the kernels; numbers go in and come out in the order of their
 * index, the first dimension running fastest.
 */
public final class Computation implements AutoCloseable {

    private final GraphBuilder builder = new GraphBuilder();
    private final List<Runnable> inputs = new ArrayList<>();
    private final List<Buffer> buffers = new ArrayList<>();

    /** The op functions. */
    public GraphBuilder ops() {
        return builder;
    }

    /** A leaf with those elements, rounded to its type. */
    public Tensor leaf(ElementType type, double[] values, long... dimensions) {
        Tensor leaf = builder.tensor(type, dimensions);
        inputs.add(() -> write(leaf, values));
        return leaf;
    }

    /** A leaf of f32. */
    public Tensor f32(double[] values, long... dimensions) {
        return leaf(ElementType.F32, values, dimensions);
    }

    /** A row of f32. */
    public Tensor f32(double... values) {
        return f32(values, values.length);
    }

    /** A row of i32. */
    public Tensor i32(int... values) {
        double[] numbers = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            numbers[i] = values[i];
        }
        return leaf(ElementType.I32, numbers, values.length);
    }

    /** A leaf of i64, whose numbers may be larger than doubles can hold. */
    public Tensor i64(long[] values, long... dimensions) {
        Tensor leaf = builder.tensor(ElementType.I64, dimensions);
        inputs.add(() -> TensorData.setLongs(leaf, values));
        return leaf;
    }

    /** The elements of a result, each tensor in memory of its own. */
    public double[] compute(Tensor result) {
        allocate(builder.tensors());
        run(result);
        return read(result);
    }

    /** The elements of a result that is given the place of one of its operands, as a plan may do. */
    public double[] computeOver(Tensor operand, Tensor result) {
        allocate(builder.tensors().stream()
                .filter(tensor -> !tensor.equals(result))
                .toList());
        Buffer.of(operand).place(result, operand.storageOffset());
        run(result);
        return read(result);
    }

    private void allocate(List<Tensor> tensors) {
        buffers.add(Allocations.allocateAll(tensors, HostBufferType.standard()));
        inputs.forEach(Runnable::run);
    }

    private void run(Tensor result) {
        try (Backend backend = new ReferenceProvider().devices().getFirst().open()) {
            backend.compute(builder.build(result));
        }
    }

    /** The elements a tensor has after a computation. */
    public double[] read(Tensor tensor) {
        double[] values = new double[Math.toIntExact(tensor.shape().elements())];
        MemorySegment bytes = TensorData.segment(tensor);
        for (int n = 0; n < values.length; n++) {
            values[n] = element(tensor, bytes, n);
        }
        return values;
    }

    private static double element(Tensor tensor, MemorySegment bytes, int n) {
        int size = tensor.type().blockSize();
        long i0 = n % tensor.dim(0);
        long at = i0 / size * tensor.stride(0) + rowOffset(tensor, n);
        return switch (tensor.type()) {
            case F32 -> bytes.get(ValueLayout.JAVA_FLOAT, at);
            case F64 -> bytes.get(ValueLayout.JAVA_DOUBLE, at);
            case F16 -> Float.float16ToFloat(bytes.get(ValueLayout.JAVA_SHORT, at));
            case BF16 -> Float.intBitsToFloat(bytes.get(ValueLayout.JAVA_SHORT, at) << Short.SIZE);
            case I8 -> bytes.get(ValueLayout.JAVA_BYTE, at);
            case I16 -> bytes.get(ValueLayout.JAVA_SHORT, at);
            case I32 -> bytes.get(ValueLayout.JAVA_INT, at);
            case I64 -> bytes.get(ValueLayout.JAVA_LONG, at);
            default -> {
                float[] block = new float[size];
                BlockFormat.of(tensor.type()).dequantize(bytes, at, block, 0, size);
                yield block[(int) (i0 % size)];
            }
        };
    }

    private static long rowOffset(Tensor tensor, long n) {
        long row = n / tensor.dim(0);
        long i1 = row % tensor.dim(1);
        long i2 = row / tensor.dim(1) % tensor.dim(2);
        long i3 = row / tensor.dim(1) / tensor.dim(2);
        return i1 * tensor.stride(1) + i2 * tensor.stride(2) + i3 * tensor.stride(3);
    }

    private static void write(Tensor leaf, double[] values) {
        if (values.length != leaf.shape().elements()) {
            throw new IllegalArgumentException(values.length + " numbers for " + leaf);
        }
        MemorySegment bytes = TensorData.segment(leaf);
        if (leaf.type().isQuantized()) {
            float[] floats = new float[values.length];
            for (int i = 0; i < values.length; i++) {
                floats[i] = (float) values[i];
            }
            BlockFormat.of(leaf.type()).quantize(floats, 0, floats.length, bytes, 0);
            return;
        }
        for (int i = 0; i < values.length; i++) {
            writePlain(leaf.type(), bytes, i, values[i]);
        }
    }

    private static void writePlain(ElementType type, MemorySegment bytes, int i, double value) {
        switch (type) {
            case F32 -> bytes.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
            case F64 -> bytes.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
            case F16 -> bytes.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16((float) value));
            case BF16 ->
                bytes.setAtIndex(
                        ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits((float) value) >>> Short.SIZE));
            case I8 -> bytes.set(ValueLayout.JAVA_BYTE, i, (byte) value);
            case I16 -> bytes.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) value);
            case I32 -> bytes.setAtIndex(ValueLayout.JAVA_INT, i, (int) value);
            case I64 -> bytes.setAtIndex(ValueLayout.JAVA_LONG, i, (long) value);
            default -> throw new IllegalArgumentException("no plain type: " + type);
        }
    }

    @Override
    public void close() {
        buffers.forEach(Buffer::close);
    }
}
