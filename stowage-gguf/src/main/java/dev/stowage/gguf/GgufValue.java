package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import java.util.Objects;

/** A value of the metadata, with the type it has in the file. Values are immutable. */
public sealed interface GgufValue {

    /** The type in the file. */
    GgufType type();

    /** The value as human-readable text: an array names its type and size only. */
    String display();

    /** An unsigned number of 32 bits, the type of most numbers in files. */
    static Whole uint32(long value) {
        return new Whole(GgufType.UINT32, value);
    }

    /** A string. */
    static Text text(String value) {
        return new Text(value);
    }

    /**
     * A whole number of any width. Of an unsigned number of 64 bits the value holds the bits, so that one beyond
     * {@link Long#MAX_VALUE} is negative here.
     */
    record Whole(GgufType type, long value) implements GgufValue {

        public Whole {
            if (!type.isWhole()) {
                throw new MalformedDataException(type + " is not an integer type");
            }
            if (!fits(type, value)) {
                throw new MalformedDataException("the number " + value + " does not fit into " + type);
            }
        }

        private static boolean fits(GgufType type, long value) {
            if (type.bytes() == Long.BYTES) {
                return true;
            }
            int bits = type.bytes() * Byte.SIZE;
            return type.isUnsigned() ? value >>> bits == 0 : value >= -(1L << (bits - 1)) && value < (1L << (bits - 1));
        }

        @Override
        public String display() {
            return type == GgufType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
        }
    }

    /** A floating-point number of 32 bits. */
    record Float32(float value) implements GgufValue {

        @Override
        public GgufType type() {
            return GgufType.FLOAT32;
        }

        @Override
        public String display() {
            return Float.toString(value);
        }
    }

    /** A floating-point number of 64 bits. */
    record Float64(double value) implements GgufValue {

        @Override
        public GgufType type() {
            return GgufType.FLOAT64;
        }

        @Override
        public String display() {
            return Double.toString(value);
        }
    }

    /** True or false. */
    record Bool(boolean value) implements GgufValue {

        @Override
        public GgufType type() {
            return GgufType.BOOL;
        }

        @Override
        public String display() {
            return Boolean.toString(value);
        }
    }

    /** A string. */
    record Text(String value) implements GgufValue {

        public Text {
            Objects.requireNonNull(value);
            Utf8.encode(value, "a string of the metadata");
        }

        @Override
        public GgufType type() {
            return GgufType.STRING;
        }

        @Override
        public String display() {
            return value;
        }
    }

    /** Values of one type, which is not an array again. */
    record Array(GgufArray elements) implements GgufValue {

        @Override
        public GgufType type() {
            return GgufType.ARRAY;
        }

        @Override
        public String display() {
            return elements.toString();
        }
    }
}
