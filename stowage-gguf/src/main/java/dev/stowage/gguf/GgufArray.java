package dev.stowage.gguf;

import dev.stowage.error.AccessException;
import dev.stowage.error.MalformedDataException;
import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The elements of an array of the metadata, such as the tokens of a vocabulary. They are kept as the bytes they are in
 * the file, so that an array takes the memory that the file justifies and not more, however many elements it claims.
 */
public final class GgufArray {

    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int[] NO_ENDS = {};

    private final GgufType elementType;
    private final int size;

    /** The elements one after the other; of strings, their characters without the lengths between them. */
    private final byte[] bytes;

    /** Of strings, where each ends in {@code bytes}. */
    private final int[] ends;

    private GgufArray(GgufType elementType, int size, byte[] bytes, int[] ends) {
        this.elementType = elementType;
        this.size = size;
        this.bytes = bytes;
        this.ends = ends;
    }

    /** Elements of a fixed size, from the bytes they are in a file; the array is not copied. */
    static GgufArray ofBytes(GgufType elementType, byte[] bytes) {
        return new GgufArray(elementType, bytes.length / elementType.bytes(), bytes, NO_ENDS);
    }

    /** Strings, from their characters one after the other; the arrays are not copied. */
    static GgufArray ofText(byte[] bytes, int[] ends) {
        return new GgufArray(GgufType.STRING, ends.length, bytes, ends);
    }

    /** Strings. */
    public static GgufArray ofTexts(List<String> texts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int[] ends = new int[texts.size()];
        for (int i = 0; i < ends.length; i++) {
            all.writeBytes(Utf8.encode(texts.get(i), "element " + i + " of an array"));
            ends[i] = all.size();
        }
        return ofText(all.toByteArray(), ends);
    }

    /**
     * Whole numbers of a type.
     *
     * @throws MalformedDataException if it is not an integer type, or one of them does not fit
     */
    public static GgufArray ofWholes(GgufType elementType, long... values) {
        byte[] bytes = new byte[Math.multiplyExact(values.length, elementType.bytes())];
        for (int i = 0; i < values.length; i++) {
            long value = new GgufValue.Whole(elementType, values[i]).value();
            int at = i * elementType.bytes();
            switch (elementType.bytes()) {
                case Byte.BYTES -> bytes[at] = (byte) value;
                case Short.BYTES -> SHORTS.set(bytes, at, (short) value);
                case Integer.BYTES -> INTS.set(bytes, at, (int) value);
                default -> LONGS.set(bytes, at, value);
            }
        }
        return ofBytes(elementType, bytes);
    }

    /** Floating-point numbers of 32 bits. */
    public static GgufArray ofFloats(float... values) {
        byte[] bytes = new byte[Math.multiplyExact(values.length, Float.BYTES)];
        for (int i = 0; i < values.length; i++) {
            INTS.set(bytes, i * Float.BYTES, Float.floatToRawIntBits(values[i]));
        }
        return ofBytes(GgufType.FLOAT32, bytes);
    }

    /** Floating-point numbers of 64 bits. */
    public static GgufArray ofDoubles(double... values) {
        byte[] bytes = new byte[Math.multiplyExact(values.length, Double.BYTES)];
        for (int i = 0; i < values.length; i++) {
            LONGS.set(bytes, i * Double.BYTES, Double.doubleToRawLongBits(values[i]));
        }
        return ofBytes(GgufType.FLOAT64, bytes);
    }

    /** Truth values. */
    public static GgufArray ofBools(boolean... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) (values[i] ? 1 : 0);
        }
        return ofBytes(GgufType.BOOL, bytes);
    }

    /** The type of the elements, never {@link GgufType#ARRAY}. */
    public GgufType elementType() {
        return elementType;
    }

    /** How many elements there are. */
    public int size() {
        return size;
    }

    /**
     * A whole number, of whichever type; of 64 bits without a sign, the bits.
     *
     * @throws AccessException if there is no such element, or it is no whole number
     */
    public long whole(int i) {
        requireElement(i, elementType.isWhole(), "whole numbers");
        int at = i * elementType.bytes();
        return switch (elementType) {
            case UINT8 -> Byte.toUnsignedLong(bytes[at]);
            case INT8 -> bytes[at];
            case UINT16 -> Short.toUnsignedLong((short) SHORTS.get(bytes, at));
            case INT16 -> (short) SHORTS.get(bytes, at);
            case UINT32 -> Integer.toUnsignedLong((int) INTS.get(bytes, at));
            case INT32 -> (int) INTS.get(bytes, at);
            default -> (long) LONGS.get(bytes, at);
        };
    }

    /**
     * A floating-point number of either type.
     *
     * @throws AccessException if there is no such element, or it is no such number
     */
    public double real(int i) {
        requireElement(i, elementType.isReal(), "floating-point numbers");
        return elementType == GgufType.FLOAT32
                ? Float.intBitsToFloat((int) INTS.get(bytes, i * Float.BYTES))
                : Double.longBitsToDouble((long) LONGS.get(bytes, i * Double.BYTES));
    }

    /**
     * True or false.
     *
     * @throws AccessException if there is no such element, or it is neither
     */
    public boolean bool(int i) {
        requireElement(i, elementType == GgufType.BOOL, "truth values");
        return bytes[i] != 0;
    }

    /**
     * A string, made anew by each call.
     *
     * @throws AccessException if there is no such element, or it is no string
     */
    public String text(int i) {
        requireElement(i, elementType == GgufType.STRING, "strings");
        int start = i == 0 ? 0 : ends[i - 1];
        return new String(bytes, start, ends[i] - start, StandardCharsets.UTF_8);
    }

    /**
     * All strings, each made when it is asked for.
     *
     * @throws AccessException if the elements are not strings
     */
    public List<String> texts() {
        requireElements(elementType == GgufType.STRING, "strings");
        return new Texts();
    }

    /**
     * All whole numbers as ints, of whichever type they are in the file.
     *
     * @throws AccessException if they are not integers, or one of them is too large
     */
    public int[] ints() {
        requireElements(elementType.isWhole(), "whole numbers");
        int[] all = new int[size];
        for (int i = 0; i < size; i++) {
            long value = whole(i);
            if (value != (int) value) {
                throw new AccessException("element " + i + " of an array is " + value + ", which is not an int");
            }
            all[i] = (int) value;
        }
        return all;
    }

    /**
     * All floating-point numbers as floats.
     *
     * @throws AccessException if they are none
     */
    public float[] floats() {
        requireElements(elementType.isReal(), "floating-point numbers");
        float[] all = new float[size];
        for (int i = 0; i < size; i++) {
            all[i] = (float) real(i);
        }
        return all;
    }

    /** An element as human-readable text. */
    public String display(int i) {
        return switch (elementType) {
            case STRING -> text(i);
            case BOOL -> Boolean.toString(bool(i));
            case FLOAT32 -> Float.toString((float) real(i));
            case FLOAT64 -> Double.toString(real(i));
            default -> new GgufValue.Whole(elementType, whole(i)).display();
        };
    }

    private void requireElement(int i, boolean suits, String what) {
        requireElements(suits, what);
        if (i < 0 || i >= size) {
            throw new AccessException("there is no element " + i + " in an array of " + size);
        }
    }

    private void requireElements(boolean suits, String what) {
        if (!suits) {
            throw new AccessException("an array of " + elementType + " does not hold " + what);
        }
    }

    /** The elements as they are in a file, strings without their lengths; not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    /** Where string {@code i} ends in {@link #bytes()}. */
    int end(int i) {
        return ends[i];
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GgufArray that
                && elementType == that.elementType
                && Arrays.equals(bytes, that.bytes)
                && Arrays.equals(ends, that.ends);
    }

    @Override
    public int hashCode() {
        return 31 * elementType.hashCode() + Arrays.hashCode(bytes);
    }

    /** Type and size: {@code str[32000]}. */
    @Override
    public String toString() {
        return elementType + "[" + size + "]";
    }

    private final class Texts extends AbstractList<String> implements RandomAccess {

        @Override
        public String get(int i) {
            return text(i);
        }

        @Override
        public int size() {
            return size;
        }
    }
}
