package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.tensor.ElementType;

/** Converts floats to doubles and integers, truncated toward zero and to the low bits, one by one. */
final class PlainEncoder extends RowEncoder {

    private final ElementType type;

    PlainEncoder(ElementType type) {
        this.type = type;
    }

    @Override
    public void encode(long from, long to, long elements) {
        switch (type) {
            case I8 -> bytes(from, to, elements);
            case I16 -> shorts(from, to, elements);
            case I32 -> ints(from, to, elements);
            case I64 -> longs(from, to, elements);
            default -> doubles(from, to, elements);
        }
    }

    private static void bytes(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setByte(to + i, (byte) (long) Memory.getFloat(from + i * 4));
        }
    }

    private static void shorts(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setShort(to + i * 2, (short) (long) Memory.getFloat(from + i * 4));
        }
    }

    private static void ints(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setInt(to + i * 4, (int) (long) Memory.getFloat(from + i * 4));
        }
    }

    private static void longs(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setLong(to + i * 8, (long) Memory.getFloat(from + i * 4));
        }
    }

    private static void doubles(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.ALL.set(Memory.DOUBLE, to + i * 8, Memory.getFloat(from + i * 4));
        }
    }
}
