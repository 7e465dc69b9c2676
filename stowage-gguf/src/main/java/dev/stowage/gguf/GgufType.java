package dev.stowage.gguf;

import java.util.Optional;

/** The thirteen types that a value of the metadata can have, with their codes in files. */
public enum GgufType {
    UINT8("u8", 0, 1),
    INT8("i8", 1, 1),
    UINT16("u16", 2, 2),
    INT16("i16", 3, 2),
    UINT32("u32", 4, 4),
    INT32("i32", 5, 4),
    FLOAT32("f32", 6, 4),
    BOOL("bool", 7, 1),
    STRING("str", 8, 0),
    ARRAY("arr", 9, 0),
    UINT64("u64", 10, 8),
    INT64("i64", 11, 8),
    FLOAT64("f64", 12, 8);

    private final String label;
    private final int code;
    private final int bytes;

    GgufType(String label, int code, int bytes) {
        this.label = label;
        this.code = code;
        this.bytes = bytes;
    }

    /** A short name: {@code u32}, {@code str}. */
    public String label() {
        return label;
    }

    /** The number that stands for this type in files. */
    public int code() {
        return code;
    }

    /** The bytes of a value; 0 for strings and arrays, which say their length themselves. */
    public int bytes() {
        return bytes;
    }

    /** Whether this is one of the eight types of whole numbers. */
    public boolean isWhole() {
        return switch (this) {
            case UINT8, INT8, UINT16, INT16, UINT32, INT32, UINT64, INT64 -> true;
            case FLOAT32, FLOAT64, BOOL, STRING, ARRAY -> false;
        };
    }

    /** Whether this is one of the two types of floating-point numbers. */
    public boolean isReal() {
        return this == FLOAT32 || this == FLOAT64;
    }

    /** Whether whole numbers of this type are never negative. */
    boolean isUnsigned() {
        return this == UINT8 || this == UINT16 || this == UINT32 || this == UINT64;
    }

    /** The type with that code, if there is one. */
    public static Optional<GgufType> ofCode(int code) {
        GgufType[] types = values();
        return code >= 0 && code < types.length ? Optional.of(types[code]) : Optional.empty();
    }

    @Override
    public String toString() {
        return label;
    }
}
