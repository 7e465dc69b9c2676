package dev.stowage.gguf;

/**
 * Reads values of metadata, each with the type that is stored before it.
 *
 * <pre>
 *   u32 type | value;     an array: u32 type of elements | u64 count | elements
 * </pre>
 *
 * <p>Arrays within arrays are refused, as ggml refuses them: no key that is in use has any.
 */
final class ValueReader {

    private final GgufInput in;

    ValueReader(GgufInput in) {
        this.in = in;
    }

    /** Reads the type and the value of a key. */
    GgufValue read(String key) {
        String field = "value of key '" + key + "'";
        GgufType type = type("type of key '" + key + "'");
        return switch (type) {
            case FLOAT32 -> new GgufValue.Float32(Float.intBitsToFloat(in.int32(field)));
            case FLOAT64 -> new GgufValue.Float64(Double.longBitsToDouble(in.int64(field)));
            case STRING -> new GgufValue.Text(in.text(field));
            case ARRAY -> new GgufValue.Array(array(key));
            case BOOL -> {
                long at = in.position();
                yield new GgufValue.Bool(truth((byte) in.number(1, field), at, field));
            }
            case UINT8, INT8, UINT16, INT16, UINT32, INT32, UINT64, INT64 -> whole(type, field);
        };
    }

    private GgufValue whole(GgufType type, String field) {
        long bits = in.number(type.bytes(), field);
        boolean widened = type.isUnsigned() && type.bytes() < Long.BYTES;
        return new GgufValue.Whole(type, widened ? bits & ((1L << (type.bytes() * Byte.SIZE)) - 1) : bits);
    }

    private boolean truth(byte value, long at, String field) {
        if (value != 0 && value != 1) {
            throw in.failure(at, field, "the byte " + Byte.toUnsignedInt(value) + " is neither true (1) nor false (0)");
        }
        return value == 1;
    }

    private GgufType type(String field) {
        long at = in.position();
        int code = in.int32(field);
        return GgufType.ofCode(code)
                .orElseThrow(() ->
                        in.failure(at, field, "there is no type " + Integer.toUnsignedString(code) + ", only 0 to 12"));
    }

    private GgufArray array(String key) {
        long typeAt = in.position();
        String typeField = "element type of key '" + key + "'";
        GgufType type = type(typeField);
        if (type == GgufType.ARRAY) {
            throw in.failure(typeAt, typeField, "arrays within arrays cannot be read");
        }
        String field = "elements of key '" + key + "'";
        boolean texts = type == GgufType.STRING;
        long countAt = in.position();
        long count = in.count(texts ? Long.BYTES : type.bytes(), "elements", "number of " + field);
        if (texts) {
            if (count > Integer.MAX_VALUE - Long.BYTES) {
                throw in.failure(countAt, "number of " + field, count + " strings are more than this reader can hold");
            }
            return in.texts((int) count, field);
        }
        long at = in.position();
        byte[] bytes = in.bytes(count * type.bytes(), field);
        if (type == GgufType.BOOL) {
            for (int i = 0; i < bytes.length; i++) {
                truth(bytes[i], at + i, "element " + i + " of " + field);
            }
        }
        return GgufArray.ofBytes(type, bytes);
    }
}
