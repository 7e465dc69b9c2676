package dev.stowage.cpu.machine;

import java.util.Arrays;

/** Bytes that grow. */
final class CodeBytes {

    private byte[] bytes = new byte[1024];
    private int size;

    int size() {
        return size;
    }

    void add(int value) {
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * size);
        }
        bytes[size++] = (byte) value;
    }

    void addInt(int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            add(value >> (8 * i));
        }
    }

    void addLong(long value) {
        addInt((int) value);
        addInt((int) (value >> 32));
    }

    void setInt(int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[at + i] = (byte) (value >> (8 * i));
        }
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }
}
