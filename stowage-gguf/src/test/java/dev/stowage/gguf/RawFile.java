package dev.stowage.gguf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file put together field by field, right or wrong, sharing no code with what writes files. */
final class RawFile {

    static final int U8 = 0;
    static final int I8 = 1;
    static final int U16 = 2;
    static final int I16 = 3;
    static final int U32 = 4;
    static final int I32 = 5;
    static final int F32 = 6;
    static final int BOOL = 7;
    static final int STRING = 8;
    static final int ARRAY = 9;
    static final int U64 = 10;
    static final int I64 = 11;
    static final int F64 = 12;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** The beginning of a file of version 3. */
    static RawFile head(long tensors, long entries) {
        return new RawFile().ascii("GGUF").u32(3).u64(tensors).u64(entries);
    }

    RawFile ascii(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    RawFile bytes(int... bytes) {
        for (int b : bytes) {
            out.write(b);
        }
        return this;
    }

    RawFile u16(int value) {
        return number(Short.BYTES, value);
    }

    RawFile u32(long value) {
        return number(Integer.BYTES, value);
    }

    RawFile u64(long value) {
        return number(Long.BYTES, value);
    }

    private RawFile number(int bytes, long value) {
        for (int i = 0; i < bytes; i++) {
            out.write((int) (value >>> (8 * i)));
        }
        return this;
    }

    /** A length and so many bytes. */
    RawFile text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        u64(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    /** The name and type of an entry, whose value comes next. */
    RawFile key(String key, int type) {
        return text(key).u32(type);
    }

    RawFile tensor(String name, int type, long offset, long... dimensions) {
        text(name).u32(dimensions.length);
        for (long dimension : dimensions) {
            u64(dimension);
        }
        return u32(type).u64(offset);
    }

    RawFile padTo(int alignment) {
        while (out.size() % alignment != 0) {
            out.write(0);
        }
        return this;
    }

    RawFile zeros(int count) {
        out.writeBytes(new byte[count]);
        return this;
    }

    int size() {
        return out.size();
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    Path writeTo(Path file) throws IOException {
        return Files.write(file, toBytes());
    }
}
