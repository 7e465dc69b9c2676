package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a model: values by key, in the order of the file. Values are read by kind, and numbers of any width
 * are accepted; a value that is missing or of another kind is an error that names the key and the file.
 */
public final class GgufMetadata {

    /** The name of the model's architecture, which most keys of the model begin with. */
    public static final String ARCHITECTURE = "general.architecture";

    /** What the offsets of tensors are multiples of. */
    public static final String ALIGNMENT = "general.alignment";

    /** What most tensors are, as a number. */
    public static final String FILE_TYPE = "general.file_type";

    /** The version of the block formats. */
    public static final String QUANTIZATION_VERSION = "general.quantization_version";

    private final String source;
    private final SequencedMap<String, GgufValue> entries;

    private GgufMetadata(String source, SequencedMap<String, GgufValue> entries) {
        this.source = source;
        this.entries = Collections.unmodifiableSequencedMap(entries);
    }

    /** No entry at all. */
    public static GgufMetadata empty() {
        return new GgufMetadata("the metadata", new LinkedHashMap<>());
    }

    /** The entries of a file; the map is not copied. */
    static GgufMetadata of(String source, SequencedMap<String, GgufValue> entries) {
        return new GgufMetadata(source, entries);
    }

    /** The same with one more entry, which goes to the end even where the key was there before. */
    public GgufMetadata with(String key, GgufValue value) {
        Objects.requireNonNull(value);
        if (key.isEmpty()) {
            throw new MalformedDataException("a key of the metadata cannot be empty");
        }
        Utf8.encode(key, "the key '" + key + "'");
        SequencedMap<String, GgufValue> copy = new LinkedHashMap<>(entries);
        copy.remove(key);
        copy.put(key, value);
        return new GgufMetadata(source, copy);
    }

    /** The same without an entry, which need not be there. */
    public GgufMetadata without(String key) {
        SequencedMap<String, GgufValue> copy = new LinkedHashMap<>(entries);
        copy.remove(key);
        return new GgufMetadata(source, copy);
    }

    /** All entries, in the order of the file. */
    public SequencedMap<String, GgufValue> entries() {
        return entries;
    }

    /** Whether there is an entry with that key. */
    public boolean has(String key) {
        return entries.containsKey(key);
    }

    /** The value of a key, if it is there. */
    public Optional<GgufValue> find(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    /** The value of a key. */
    public GgufValue get(String key) {
        return find(key).orElseThrow(() -> new MalformedDataException(source + " has no key '" + key + "'"));
    }

    /** The name of the model's architecture. */
    public String architecture() {
        return text(ARCHITECTURE);
    }

    /** A string. */
    public String text(String key) {
        if (get(key) instanceof GgufValue.Text(String value)) {
            return value;
        }
        throw mismatch(key, "a string");
    }

    /** A string, or another where the key is missing. */
    public String text(String key, String otherwise) {
        return has(key) ? text(key) : otherwise;
    }

    /** A whole number of whichever width. */
    public long whole(String key) {
        return switch (get(key)) {
            case GgufValue.Whole(GgufType type, long value) when type != GgufType.UINT64 || value >= 0 -> value;
            case GgufValue.Whole huge ->
                throw new MalformedDataException(source + ": key '" + key + "' is " + huge.display()
                        + ", which is more than a signed number of 64 bits can be");
            default -> throw mismatch(key, "a whole number");
        };
    }

    /** A whole number, or another where the key is missing. */
    public long whole(String key, long otherwise) {
        return has(key) ? whole(key) : otherwise;
    }

    /** A floating-point number of either width. */
    public double real(String key) {
        return switch (get(key)) {
            case GgufValue.Float32(float value) -> value;
            case GgufValue.Float64(double value) -> value;
            default -> throw mismatch(key, "a floating-point number");
        };
    }

    /** A floating-point number, or another where the key is missing. */
    public double real(String key, double otherwise) {
        return has(key) ? real(key) : otherwise;
    }

    /** True or false. */
    public boolean bool(String key) {
        if (get(key) instanceof GgufValue.Bool(boolean value)) {
            return value;
        }
        throw mismatch(key, "a truth value");
    }

    /** True or false, or what is given where the key is missing. */
    public boolean bool(String key, boolean otherwise) {
        return has(key) ? bool(key) : otherwise;
    }

    /** An array. */
    public GgufArray array(String key) {
        if (get(key) instanceof GgufValue.Array(GgufArray elements)) {
            return elements;
        }
        throw mismatch(key, "an array");
    }

    private MalformedDataException mismatch(String key, String wanted) {
        GgufValue value = get(key);
        String found = value instanceof GgufValue.Array(GgufArray elements)
                ? elements.toString()
                : value.type().label();
        return new MalformedDataException(source + ": key '" + key + "' is not " + wanted + ", but " + found);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GgufMetadata that && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return entries.size() + " entries of " + source;
    }
}
