package dev.stowage.gguf;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Reads the header of a file, field by field, and checks each before it is used: {@link ValueReader} the metadata,
 * {@link TensorListReader} the tensors. Used once.
 *
 * <pre>
 *   'GGUF' | u32 version | u64 tensors | u64 entries
 *   per entry:   str key | u32 type | value;     an array: u32 type of elements | u64 count | elements
 *   per tensor:  str name | u32 dimensions | u64 each | u32 type | u64 offset
 *   str:         u64 bytes | UTF-8
 * </pre>
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
                    tensorCount + " tensors cannot be in the " + in.remaining()
                            + " bytes that are left: the file is cut short, not yet complete, or damaged");
        }
        ValueReader values = new ValueReader(in);
        SequencedMap<String, GgufValue> entries = new LinkedHashMap<>();
        long alignment = GgufHeader.DEFAULT_ALIGNMENT;
        for (long i = 0; i < entryCount; i++) {
            String key = key(i, entries);
            long typeAt = in.position();
            GgufValue value = values.read(key);
            entries.put(key, value);
            if (key.equals(GgufMetadata.ALIGNMENT)) {
                alignment = alignment(value, typeAt);
            }
        }
        TensorListReader tensors = new TensorListReader(in, part, alignment);
        tensors.readAll(tensorCount);
        long dataOffset = dataOffset(alignment);
        tensors.requirePlaces(dataOffset);
        return new GgufHeader(
                file,
                version,
                GgufMetadata.of(file.toString(), entries),
                alignment,
                tensors.all(),
                dataOffset,
                fileSize);
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

    /** The data begins at the next multiple of the alignment. */
    private long dataOffset(long alignment) {
        return Math.ceilDiv(in.position(), alignment) * alignment;
    }
}
