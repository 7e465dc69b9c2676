package dev.stowage.bench.ops;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/**
 * The bytes that cases compute from, the same for the same key. Large tensors repeat a stretch of
 * numbers whose length has no factor in common with that of a row, so that no two of a few thousand rows are alike.
 * The bytes last until this is closed.
 */
final class TestData implements AutoCloseable {

    private static final int STRETCH = 4099 * 256;
    private static final int ALIGNMENT = 64;

    private record Kind(ElementType type, double deviation, int salt) {}

    private final Arena arena = Arena.ofConfined();
    private final Map<Kind, MemorySegment> made = new HashMap<>();

    /** Normally distributed numbers around 0, other ones for each salt. */
    MemorySegment random(ElementType type, long elements, double deviation, int salt) {
        long size = type.rowBytes(elements);
        Kind kind = new Kind(type, deviation, salt);
        MemorySegment all = made.get(kind);
        if (all == null || all.byteSize() < size) {
            all = repeated(stretch(kind), size);
            made.put(kind, all);
        }
        return all.asSlice(0, size);
    }

    private static byte[] stretch(Kind kind) {
        SplittableRandom random = new SplittableRandom(1 + kind.salt());
        float[] numbers = new float[STRETCH];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) (random.nextGaussian() * kind.deviation());
        }
        byte[] bytes = new byte[Math.toIntExact(kind.type().rowBytes(STRETCH))];
        BlockFormat.of(kind.type()).quantize(numbers, 0, numbers.length, MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    private MemorySegment repeated(byte[] stretch, long size) {
        MemorySegment all = arena.allocate(size, ALIGNMENT);
        MemorySegment once = MemorySegment.ofArray(stretch);
        for (long at = 0; at < size; at += stretch.length) {
            MemorySegment.copy(once, 0, all, at, Math.min(stretch.length, size - at));
        }
        return all;
    }

    /** The same f32 number over and over. */
    MemorySegment constant(float number, long elements) {
        MemorySegment all = arena.allocate(elements * Float.BYTES, ALIGNMENT);
        for (long i = 0; i < elements; i++) {
            all.setAtIndex(ValueLayout.JAVA_FLOAT, i, number);
        }
        return all;
    }

    /** Nothing but zeros. */
    MemorySegment zeros(long bytes) {
        return arena.allocate(bytes, ALIGNMENT);
    }

    /** Whole numbers of 32 bits, by their index. */
    MemorySegment ints(int count, IntUnaryOperator number) {
        MemorySegment all = arena.allocate((long) count * Integer.BYTES, ALIGNMENT);
        for (int i = 0; i < count; i++) {
            all.setAtIndex(ValueLayout.JAVA_INT, i, number.applyAsInt(i));
        }
        return all;
    }

    /** Whole numbers of 64 bits, by their index. */
    MemorySegment longs(int count, IntUnaryOperator number) {
        MemorySegment all = arena.allocate((long) count * Long.BYTES, ALIGNMENT);
        for (int i = 0; i < count; i++) {
            all.setAtIndex(ValueLayout.JAVA_LONG, i, number.applyAsInt(i));
        }
        return all;
    }

    /** An f16 mask by which token {@code i} sees the first {@code past + i + 1} cells. */
    MemorySegment causalMask(int cells, int tokens, int past) {
        short hidden = Float.floatToFloat16(Float.NEGATIVE_INFINITY);
        MemorySegment all = arena.allocate((long) cells * tokens * Short.BYTES, ALIGNMENT);
        for (int token = 0; token < tokens; token++) {
            for (int cell = past + token + 1; cell < cells; cell++) {
                all.setAtIndex(ValueLayout.JAVA_SHORT, (long) token * cells + cell, hidden);
            }
        }
        return all;
    }

    @Override
    public void close() {
        arena.close();
    }
}
