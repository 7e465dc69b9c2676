package dev.stowage.gguf;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.IntStream;

/**
 * Reads the head of a file, field by field, and believes none of them before it is checked. Used once.
 *
 * <pre>
 *   'GGUF' | u32 version | u64 tensors | u64 entries
 *   per entry:   str key | u32 type | value;     an array: u32 type of elements | u64 count | elements
 *   per tensor:  str name | u32 dimensions | u64 each | u32 type | u64 offset
 *   str:         u64 bytes | UTF-8
 * </pre>
 *
 * <p>Arrays within arrays are refused, as ggml refuses them: no key that is in use has any.
 */
final class HeaderReader {

    private static final int MAGIC = 0x46554747;
    private static final int LEAST_ENTRY = Long.BYTES + 1 + Integer.BYTES + 1;
    private static final int LEAST_TENSOR = Long.BYTES + 1 + Integer.BYTES + Integer.BYTES + Long.BYTES;

    /** GGUF wants a multiple of this, so that any number can be read in place. */
    private static final int LEAST_ALIGNMENT = 8;

    private final Path file;
    private final GgufInput in;
    private final int part;

    HeaderReader(Path file, GgufInput in, int part) {
        this.file = file;
        this.in = in;
        this.part = part;
    }

    GgufHeader read(long fileSize) {
        requireMagic();
        int version = version();
        // Both counts stand before everything they count: the second is checked when it is read, the first then too.
        long tensorCountAt = in.position();
        long tensorCount = in.count(1, "tensors", "number of tensors");
        long entryCount = in.count(LEAST_ENTRY, "entries", "number of metadata entries");
        if (tensorCount > in.remaining() / LEAST_TENSOR) {
            throw in.failure(
                    tensorCountAt,
                    "number of tensors",
                    tensorCount + " tensors cannot be in the " + in.remaining() + " bytes that are left");
        }
        SequencedMap<String, GgufValue> entries = new LinkedHashMap<>();
        long alignment = GgufHeader.DEFAULT_ALIGNMENT;
        for (long i = 0; i < entryCount; i++) {
            String key = key(i, entries);
            long typeAt = in.position();
            GgufValue value = value(key);
            entries.put(key, value);
            if (key.equals(GgufMetadata.ALIGNMENT)) {
                alignment = alignment(value, typeAt);
            }
        }
        TensorList tensors = tensors(tensorCount, alignment);
        long dataOffset = dataOffset(alignment);
        tensors.requirePlaces(dataOffset);
        return new GgufHeader(
                file, version, GgufMetadata.of(file.toString(), entries), alignment, tensors.all, dataOffset, fileSize);
    }

    private void requireMagic() {
        int magic = in.int32("magic");
        if (magic == Integer.reverseBytes(MAGIC)) {
            throw in.failure(0, "magic", "this is a big-endian file, and only little-endian ones can be read");
        }
        if (magic != MAGIC) {
            throw in.failure(
                    0, "magic", "this is not a GGUF file: it begins with " + printable(magic) + " and not with 'GGUF'");
        }
    }

    private static String printable(int magic) {
        StringBuilder text = new StringBuilder("'");
        for (int i = 0; i < Integer.BYTES; i++) {
            char c = (char) ((magic >>> (i * Byte.SIZE)) & 0xFF);
            text.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return text.append('\'').toString();
    }

    private int version() {
        long at = in.position();
        int version = in.int32("version");
        if (version == 2 || version == 3) {
            return version;
        }
        int swapped = Integer.reverseBytes(version);
        if (swapped >= 1 && swapped <= 3) {
            throw in.failure(
                    at,
                    "version",
                    "this is a big-endian file of version " + swapped + ", and only little-endian ones can be read");
        }
        throw in.failure(
                at,
                "version",
                "version " + Integer.toUnsignedString(version) + " is not one of 2 and 3, which can be read"
                        + (version == 1 ? ": convert the model again with a newer tool" : ""));
    }

    private String key(long i, Map<String, GgufValue> before) {
        long at = in.position();
        String key = in.text("key " + i);
        if (key.isEmpty()) {
            throw in.failure(at, "key " + i, "it is empty");
        }
        if (before.containsKey(key)) {
            throw in.failure(at, "key " + i, "'" + key + "' was there before");
        }
        return key;
    }

    private GgufValue value(String key) {
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

    private long alignment(GgufValue value, long typeAt) {
        if (!(value instanceof GgufValue.Whole(GgufType type, long alignment) && type == GgufType.UINT32)) {
            throw in.failure(
                    typeAt, "type of key '" + GgufMetadata.ALIGNMENT + "'", "it must be u32, and not " + value.type());
        }
        if (alignment < LEAST_ALIGNMENT || Long.bitCount(alignment) != 1) {
            throw in.failure(
                    typeAt + Integer.BYTES,
                    "value of key '" + GgufMetadata.ALIGNMENT + "'",
                    alignment + " is not an alignment: it must be a power of two, at least " + LEAST_ALIGNMENT);
        }
        return alignment;
    }

    private TensorList tensors(long count, long alignment) {
        TensorList tensors = new TensorList(alignment);
        for (long i = 0; i < count; i++) {
            tensors.read(i);
        }
        return tensors;
    }

    /** The data begins at the next multiple of the alignment. */
    private long dataOffset(long alignment) {
        return Math.ceilDiv(in.position(), alignment) * alignment;
    }

    /** The tensors read so far, and where in the file their offsets stand, for what is found wrong with those later. */
    private final class TensorList {

        private final long alignment;
        private final List<GgufTensor> all = new ArrayList<>();
        private final List<Long> offsetFields = new ArrayList<>();
        private final Map<String, Long> byName = new HashMap<>();

        TensorList(long alignment) {
            this.alignment = alignment;
        }

        void read(long i) {
            String name = name(i);
            Shape shape = shape(name);
            Layout layout = layout(name, shape);
            String field = "offset of tensor '" + name + "'";
            long at = in.position();
            long offset = in.int64(field);
            if (offset < 0 || offset % alignment != 0) {
                throw in.failure(
                        at,
                        field,
                        Long.toUnsignedString(offset) + " is not a multiple of the alignment " + alignment
                                + " within the file");
            }
            all.add(new GgufTensor(new TensorSpec(name, layout), part, offset));
            offsetFields.add(at);
        }

        private String name(long i) {
            long at = in.position();
            String name = in.text("name of tensor " + i);
            if (name.isEmpty()) {
                throw in.failure(at, "name of tensor " + i, "it is empty");
            }
            Long before = byName.put(name, i);
            if (before != null) {
                throw in.failure(at, "name of tensor " + i, "'" + name + "' is the name of tensor " + before);
            }
            return name;
        }

        private Shape shape(String name) {
            long at = in.position();
            String field = "dimensions of tensor '" + name + "'";
            int rank = in.int32(field);
            if (rank < 0 || rank > Shape.RANK) {
                throw in.failure(at, field, Integer.toUnsignedString(rank) + " dimensions are more than " + Shape.RANK);
            }
            long[] dimensions = {1, 1, 1, 1};
            for (int i = 0; i < rank; i++) {
                long dimensionAt = in.position();
                dimensions[i] = in.int64(field);
                if (dimensions[i] < 0) {
                    throw in.failure(
                            dimensionAt,
                            field,
                            "dimension " + i + " is " + Long.toUnsignedString(dimensions[i])
                                    + ", more than a signed number of 64 bits can be");
                }
            }
            try {
                return Shape.of(dimensions);
            } catch (InvalidTensorException e) {
                throw in.failure(at, field, String.valueOf(e.getMessage()));
            }
        }

        private Layout layout(String name, Shape shape) {
            long at = in.position();
            String field = "type of tensor '" + name + "'";
            int code = in.int32(field);
            try {
                return Layout.contiguous(ElementType.ofCode(code), shape);
            } catch (InvalidTensorException e) {
                throw in.failure(at, field, String.valueOf(e.getMessage()));
            }
        }

        /** Checks that all data is within the data section, and that no two tensors share any. */
        void requirePlaces(long dataOffset) {
            int[] order = IntStream.range(0, all.size())
                    .boxed()
                    .sorted(Comparator.comparingLong((Integer i) -> all.get(i).offset())
                            .thenComparingLong(i -> all.get(i).byteSize()))
                    .mapToInt(Integer::intValue)
                    .toArray();
            for (int i = 0; i < order.length; i++) {
                GgufTensor tensor = all.get(order[i]);
                long at = offsetFields.get(order[i]);
                String field = "offset of tensor '" + tensor.name() + "'";
                if (tensor.offset() > Long.MAX_VALUE - dataOffset - tensor.byteSize()) {
                    throw in.failure(
                            at,
                            field,
                            tensor.offset() + " and the " + tensor.byteSize()
                                    + " bytes of the tensor are more than a file can have");
                }
                if (i > 0 && all.get(order[i - 1]).end() > tensor.offset()) {
                    throw in.failure(
                            at,
                            field,
                            tensor.offset() + " is within the data of tensor '"
                                    + all.get(order[i - 1]).name() + "'");
                }
            }
        }
    }
}
