package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.GuardedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Rows of random numbers at a stride, between pages that nothing may touch. */
final class Rows {

    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private final RowType type;
    private final int count;
    private final int elements;
    private final int bytes;
    final long stride;
    final MemorySegment memory;

    Rows(GuardedMemory guarded, RowType type, int count, int elements, Random random, boolean atEnd) {
        this.type = type;
        this.count = count;
        this.elements = elements;
        this.bytes = type == RowType.F32 ? 4 : 2;
        this.stride = (long) bytes * (elements + random.nextInt(9));
        this.memory = guarded.allocate(stride * (count - 1) + (long) bytes * elements, atEnd);
        for (int row = 0; row < count; row++) {
            for (int i = 0; i < elements; i++) {
                put(row, i, (float) random.nextGaussian());
            }
        }
    }

    private void put(int row, int i, float value) {
        long at = row * stride + (long) bytes * i;
        switch (type) {
            case F32 -> memory.set(FLOAT, at, value);
            case F16 -> memory.set(SHORT, at, Float.floatToFloat16(value));
            case BF16 -> memory.set(SHORT, at, (short) (Float.floatToRawIntBits(value) >>> 16));
        }
    }

    /** Any bits in one place: subnormal and infinite numbers among them, and not NaN, which has many forms. */
    void putAnyBits(Random random) {
        long at = random.nextInt(count) * stride + (long) bytes * random.nextInt(elements);
        float value;
        do {
            if (type == RowType.F32) {
                memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, random.nextInt());
            } else {
                memory.set(SHORT, at, (short) random.nextInt());
            }
            value = get((int) (at / stride), (int) (at % stride / bytes));
        } while (Float.isNaN(value));
    }

    float get(int row, int i) {
        long at = row * stride + (long) bytes * i;
        return switch (type) {
            case F32 -> memory.get(FLOAT, at);
            case F16 -> Float.float16ToFloat(memory.get(SHORT, at));
            case BF16 -> Float.intBitsToFloat(memory.get(SHORT, at) << 16);
        };
    }

    /** Random floats. */
    static MemorySegment floats(GuardedMemory memory, int count, Random random, boolean atEnd) {
        MemorySegment floats = memory.allocate(4L * count, atEnd);
        for (int i = 0; i < count; i++) {
            floats.setAtIndex(FLOAT, i, (float) random.nextGaussian());
        }
        return floats;
    }
}
