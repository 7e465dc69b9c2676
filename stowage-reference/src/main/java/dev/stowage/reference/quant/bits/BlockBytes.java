package dev.stowage.reference.quant.bits;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Reads and writes the numbers blocks are made of: little-endian, at any address. */
public final class BlockBytes {

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private BlockBytes() {}

    public static int u8(MemorySegment blocks, long at) {
        return Byte.toUnsignedInt(blocks.get(ValueLayout.JAVA_BYTE, at));
    }

    public static int s8(MemorySegment blocks, long at) {
        return blocks.get(ValueLayout.JAVA_BYTE, at);
    }

    public static int u16(MemorySegment blocks, long at) {
        return Short.toUnsignedInt(blocks.get(SHORT, at));
    }

    public static int i32(MemorySegment blocks, long at) {
        return blocks.get(INT, at);
    }

    public static float f16(MemorySegment blocks, long at) {
        return FloatFormats.fromHalf(blocks.get(SHORT, at));
    }

    public static float f32(MemorySegment blocks, long at) {
        return Float.intBitsToFloat(blocks.get(INT, at));
    }

    /** Writes the low eight bits. */
    public static void put8(MemorySegment blocks, long at, int value) {
        blocks.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    /** Sets, in one byte, those of the low eight bits that are set in {@code bits}. */
    public static void or8(MemorySegment blocks, long at, int bits) {
        put8(blocks, at, u8(blocks, at) | bits);
    }

    /** Writes the low sixteen bits. */
    public static void put16(MemorySegment blocks, long at, int value) {
        blocks.set(SHORT, at, (short) value);
    }

    /** Sets, in two bytes, those of the low sixteen bits that are set in {@code bits}. */
    public static void or16(MemorySegment blocks, long at, int bits) {
        put16(blocks, at, u16(blocks, at) | bits);
    }

    public static void put32(MemorySegment blocks, long at, int value) {
        blocks.set(INT, at, value);
    }

    /** Sets, in four bytes, the bits that are set in {@code bits}. */
    public static void or32(MemorySegment blocks, long at, int bits) {
        put32(blocks, at, i32(blocks, at) | bits);
    }

    /** Writes the nearest half-precision number and returns it: what a reader of the block will see. */
    public static float putF16(MemorySegment blocks, long at, float value) {
        short half = FloatFormats.toHalf(value);
        blocks.set(SHORT, at, half);
        return FloatFormats.fromHalf(half);
    }

    public static void putF32(MemorySegment blocks, long at, float value) {
        put32(blocks, at, Float.floatToRawIntBits(value));
    }
}
