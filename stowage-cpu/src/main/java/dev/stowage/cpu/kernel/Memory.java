package dev.stowage.cpu.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Access to memory by address, through one segment that spans the address space. With a segment per tensor, every
 * access would check liveness and bounds, which costs the inner loops up to half their speed; a prepared graph is
 * checked once instead.
 */
public final class Memory {

    /** Every byte of this process, at the offset that is its address. */
    public static final MemorySegment ALL = everything();

    /**
     * The bits that an address has. A kernel that takes its addresses {@code & ADDRESS} lets the compiler know that they are
     * not negative and far from overflow, and it then leaves out the check of every access that is a known distance away.
     * Without that a short inner loop spends more on checks, and on the way around them, than on its work.
     */
    public static final long ADDRESS = (1L << 56) - 1;

    /** The order of bytes in tensors. */
    public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ORDER);
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ORDER);
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ORDER);
    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ORDER);
    public static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ORDER);

    private Memory() {}

    @SuppressWarnings("restricted") // the one place that trusts addresses; see the class
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /**
     * Fails with an {@link ExceptionInInitializerError} where the JVM denies access to memory by address; else nothing.
     */
    public static void touch() {
        // Being called initializes the class.
    }

    /** The float at an address. */
    public static float getFloat(long address) {
        return ALL.get(FLOAT, address);
    }

    public static void setFloat(long address, float value) {
        ALL.set(FLOAT, address, value);
    }

    public static int getInt(long address) {
        return ALL.get(INT, address);
    }

    public static void setInt(long address, int value) {
        ALL.set(INT, address, value);
    }

    public static long getLong(long address) {
        return ALL.get(LONG, address);
    }

    public static void setLong(long address, long value) {
        ALL.set(LONG, address, value);
    }

    public static short getShort(long address) {
        return ALL.get(SHORT, address);
    }

    public static void setShort(long address, short value) {
        ALL.set(SHORT, address, value);
    }

    public static byte getByte(long address) {
        return ALL.get(BYTE, address);
    }

    public static void setByte(long address, byte value) {
        ALL.set(BYTE, address, value);
    }

    /** The half-precision float at an address. */
    public static float getHalf(long address) {
        return Float.float16ToFloat(ALL.get(SHORT, address));
    }

    /** Writes a float as the nearest half-precision one. */
    public static void setHalf(long address, float value) {
        ALL.set(SHORT, address, Float.floatToFloat16(value));
    }

    /** Copies bytes between places that do not overlap. */
    public static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }
}
