package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Writes Java arrays into tensors and reads tensors into Java arrays, wherever they are stored: a convenience for
 * inputs and results. The elements are in the order of memory, the innermost dimension running fastest.
 *
 * <p>All methods take the whole tensor, which must be contiguous and have memory; they throw
 * {@link InvalidTensorException} where type or layout do not suit, {@link AccessException} where the number of elements
 * does not or there is no memory, and {@link ClosedException} where the memory is gone.
 */
public final class TensorData {

    private TensorData() {}

    /** As {@link #setFloats(BoundTensor, float...)}, for a tensor with memory of its own. */
    public static void setFloats(Tensor tensor, float... values) {
        setFloats(BoundTensor.of(tensor), values);
    }

    /** As {@link #getFloats(BoundTensor)}, for a tensor with memory of its own. */
    public static float[] getFloats(Tensor tensor) {
        return getFloats(BoundTensor.of(tensor));
    }

    /** As {@link #setInts(BoundTensor, int...)}, for a tensor with memory of its own. */
    public static void setInts(Tensor tensor, int... values) {
        setInts(BoundTensor.of(tensor), values);
    }

    /** As {@link #getInts(BoundTensor)}, for a tensor with memory of its own. */
    public static int[] getInts(Tensor tensor) {
        return getInts(BoundTensor.of(tensor));
    }

    /** As {@link #setLongs(BoundTensor, long...)}, for a tensor with memory of its own. */
    public static void setLongs(Tensor tensor, long... values) {
        setLongs(BoundTensor.of(tensor), values);
    }

    /** As {@link #getLongs(BoundTensor)}, for a tensor with memory of its own. */
    public static long[] getLongs(Tensor tensor) {
        return getLongs(BoundTensor.of(tensor));
    }

    /** Writes a whole tensor of type f32, f16 or bf16, rounding to the nearest number the type has. */
    public static void setFloats(BoundTensor tensor, float... values) {
        requireElements(tensor, values.length);
        MemorySegment bytes = switch (tensor.type()) {
            case F32 -> MemorySegment.ofArray(values);
            case F16 -> MemorySegment.ofArray(toHalves(values));
            case BF16 -> MemorySegment.ofArray(toBrainFloats(values));
            default -> throw unsuited(tensor, "floats", "f32, f16 or bf16");
        };
        tensor.set(0, bytes);
    }

    /** Reads a whole tensor of type f32, f16 or bf16. */
    public static float[] getFloats(BoundTensor tensor) {
        float[] values = new float[elements(tensor)];
        switch (tensor.type()) {
            case F32 -> read(tensor, MemorySegment.ofArray(values));
            case F16 -> {
                short[] halves = new short[values.length];
                read(tensor, MemorySegment.ofArray(halves));
                for (int i = 0; i < values.length; i++) {
                    values[i] = Float.float16ToFloat(halves[i]);
                }
            }
            case BF16 -> {
                short[] halves = new short[values.length];
                read(tensor, MemorySegment.ofArray(halves));
                for (int i = 0; i < values.length; i++) {
                    values[i] = Float.intBitsToFloat(halves[i] << Short.SIZE);
                }
            }
            default -> throw unsuited(tensor, "floats", "f32, f16 or bf16");
        }
        return values;
    }

    /** Writes a whole tensor of type i32. */
    public static void setInts(BoundTensor tensor, int... values) {
        requireType(tensor, ElementType.I32, "ints");
        requireElements(tensor, values.length);
        tensor.set(0, MemorySegment.ofArray(values));
    }

    /** Reads a whole tensor of type i32. */
    public static int[] getInts(BoundTensor tensor) {
        requireType(tensor, ElementType.I32, "ints");
        int[] values = new int[elements(tensor)];
        read(tensor, MemorySegment.ofArray(values));
        return values;
    }

    /** Writes a whole tensor of type i64. */
    public static void setLongs(BoundTensor tensor, long... values) {
        requireType(tensor, ElementType.I64, "longs");
        requireElements(tensor, values.length);
        tensor.set(0, MemorySegment.ofArray(values));
    }

    /** Reads a whole tensor of type i64. */
    public static long[] getLongs(BoundTensor tensor) {
        requireType(tensor, ElementType.I64, "longs");
        long[] values = new long[elements(tensor)];
        read(tensor, MemorySegment.ofArray(values));
        return values;
    }

    /**
     * The bytes of a tensor in place, for code that runs on the host; the tensor need not be contiguous.
     *
     * @throws AccessException if it is stored where the host cannot reach it
     */
    public static MemorySegment segment(Tensor tensor) {
        return BoundTensor.of(tensor).segment();
    }

    private static void read(BoundTensor tensor, MemorySegment target) {
        tensor.get(0, target);
    }

    private static int elements(BoundTensor tensor) {
        requireContiguous(tensor);
        long elements = tensor.shape().elements();
        if (elements > Integer.MAX_VALUE - Long.BYTES) {
            throw new AccessException(tensor.describe() + " has " + elements
                    + " elements, more than a Java array can hold: read it in parts with Buffer.get()");
        }
        return (int) elements;
    }

    private static void requireElements(BoundTensor tensor, int given) {
        requireContiguous(tensor);
        long elements = tensor.shape().elements();
        if (given != elements) {
            throw new AccessException(
                    tensor.describe() + " has " + elements + " elements and cannot be set to " + given);
        }
    }

    private static void requireContiguous(BoundTensor tensor) {
        if (!tensor.layout().isContiguous()) {
            throw new InvalidTensorException(tensor.describe()
                    + " has gaps or another order in memory: make it contiguous first, or use Buffer.get() and set()");
        }
    }

    private static void requireType(BoundTensor tensor, ElementType type, String what) {
        if (tensor.type() != type) {
            throw unsuited(tensor, what, type.label());
        }
    }

    private static InvalidTensorException unsuited(BoundTensor tensor, String what, String types) {
        return new InvalidTensorException(tensor.describe() + " does not hold " + what + ": its type is "
                + tensor.type() + " and not " + types + "; Buffer.get() and set() take bytes of any type");
    }

    private static short[] toHalves(float[] values) {
        short[] halves = new short[values.length];
        for (int i = 0; i < values.length; i++) {
            halves[i] = Float.floatToFloat16(values[i]);
        }
        return halves;
    }

    private static short[] toBrainFloats(float[] values) {
        short[] halves = new short[values.length];
        for (int i = 0; i < values.length; i++) {
            halves[i] = toBrainFloat(values[i]);
        }
        return halves;
    }

    /** The upper half of a float's bits, rounded to the nearest and to even in between; a NaN stays a quiet one. */
    private static short toBrainFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) ((bits >>> Short.SIZE) | 0x40);
        }
        int toEven = (bits >>> Short.SIZE) & 1;
        return (short) ((bits + 0x7fff + toEven) >>> Short.SIZE);
    }
}
