package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.tensor.ElementType;

/**
 * Converts integers and doubles to the nearest floats, one by one: such tensors are copied now and then, but never
 * multiplied.
 */
final class PlainDecoder extends RowDecoder {

    private final ElementType type;

    PlainDecoder(ElementType type) {
        this.type = type;
    }

    @Override
    public void decode(long from, long to, long elements) {
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
            Memory.setFloat(to + i * 4, Memory.getByte(from + i));
        }
    }

    private static void shorts(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setFloat(to + i * 4, Memory.getShort(from + i * 2));
        }
    }

    private static void ints(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setFloat(to + i * 4, Memory.getInt(from + i * 4));
        }
    }

    private static void longs(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            // Through a double, as the reference goes: it rounds twice.
            Memory.setFloat(to + i * 4, (float) (double) Memory.getLong(from + i * 8));
        }
    }

    private static void doubles(long from, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setFloat(to + i * 4, (float) Memory.ALL.get(Memory.DOUBLE, from + i * 8));
        }
    }
}
