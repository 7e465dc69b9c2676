package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the fields of a header one after the other, and keeps track of position and field, so that every error names
 * both. Nothing is allocated before it is known that the file has that many bytes left.
 *
 * <p>It reads through a channel and not through a mapping: a file that becomes shorter meanwhile is then a short read,
 * which can be reported, and not a fault of the memory.
 */
final class GgufInput {

    private static final int WINDOW = 1 << 16;

    /** The largest array there can be in Java. */
    private static final int LARGEST = Integer.MAX_VALUE - 8;

    private final ByteSource source;
    private final String name;
    private final long size;
    private final ByteBuffer window =
            ByteBuffer.allocate(WINDOW).order(ByteOrder.LITTLE_ENDIAN).limit(0);

    /** Where the window begins in the file. */
    private long windowStart;

    /** Which element of an array is read, or -1; kept as a number because there may be millions that are right. */
    private long element = -1;

    /**
     * @param name what to call the file in messages
     * @param size the bytes it has
     */
    GgufInput(ByteSource source, String name, long size) {
        this.source = source;
        this.name = name;
        this.size = size;
    }

    /** Where the next field begins. */
    long position() {
        return windowStart + window.position();
    }

    /** The bytes that are left. */
    long remaining() {
        return size - position();
    }

    int int32(String field) {
        require(Integer.BYTES, field);
        return window.getInt();
    }

    long int64(String field) {
        require(Long.BYTES, field);
        return window.getLong();
    }

    /** A number of 1, 2, 4 or 8 bytes, its sign extended. */
    long number(int bytes, String field) {
        require(bytes, field);
        return switch (bytes) {
            case Byte.BYTES -> window.get();
            case Short.BYTES -> window.getShort();
            case Integer.BYTES -> window.getInt();
            default -> window.getLong();
        };
    }

    /**
     * A count of things that take at least so many bytes each, checked against what is left of the file.
     *
     * @param what the things, for the message
     */
    long count(long leastBytes, String what, String field) {
        long at = position();
        long count = int64(field);
        if (count < 0 || count > remaining() / leastBytes) {
            throw failure(
                    at,
                    field,
                    Long.toUnsignedString(count) + " " + what + " cannot be in the " + remaining()
                            + " bytes that are left: the file is cut short, not yet complete, or damaged");
        }
        return count;
    }

    /** A string: its length, and so many bytes of UTF-8. */
    String text(String field) {
        long at = position();
        byte[] bytes = bytes(length(field), field);
        requireUtf8(bytes, 0, bytes.length, at + Long.BYTES, field);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Strings one after the other; so many that at least their lengths are in the file. */
    GgufArray texts(int count, String field) {
        int[] ends = new int[count];
        byte[] all = new byte[0];
        int used = 0;
        for (int i = 0; i < count; i++) {
            element = i;
            long at = position();
            int length = length(field);
            if (length > LARGEST - used) {
                throw failure(at, field, "the strings of an array have more bytes than this reader can hold");
            }
            if (length > all.length - used) {
                long doubled = Math.min(LARGEST, Math.max(2L * all.length, (long) used + length));
                // No more than all that is left of the file can still be needed.
                all = Arrays.copyOf(all, (int) Math.min(doubled, used + remaining()));
            }
            read(all, used, length, field);
            requireUtf8(all, used, used + length, at + Long.BYTES, field);
            used += length;
            ends[i] = used;
        }
        element = -1;
        return GgufArray.ofText(used == all.length ? all : Arrays.copyOf(all, used), ends);
    }

    private int length(String field) {
        long at = position();
        long length = int64(field);
        if (length < 0 || length > remaining()) {
            throw failure(
                    at,
                    field,
                    "its length of " + Long.toUnsignedString(length) + " bytes is more than the " + remaining()
                            + " that are left");
        }
        return requireHoldable(at, length, field);
    }

    /** So many bytes as they are; the caller has checked that the file has them. */
    byte[] bytes(long count, String field) {
        byte[] bytes = new byte[requireHoldable(position(), count, field)];
        read(bytes, 0, bytes.length, field);
        return bytes;
    }

    private int requireHoldable(long at, long count, String field) {
        if (count > LARGEST) {
            throw failure(at, field, count + " bytes are more than this reader can hold in one piece");
        }
        return (int) count;
    }

    private void requireUtf8(byte[] bytes, int from, int to, long at, String field) {
        int wrong = Utf8.firstWrong(bytes, from, to);
        if (wrong >= 0) {
            throw failure(at + wrong - from, field, "it is not UTF-8");
        }
    }

    private void read(byte[] target, int from, int count, String field) {
        int ready = Math.min(count, window.remaining());
        window.get(target, from, ready);
        if (ready == count) {
            return;
        }
        ByteBuffer rest = ByteBuffer.wrap(target, from + ready, count - ready);
        long at = position();
        while (rest.hasRemaining()) {
            if (fill(rest, at, field) < 0) {
                throw truncated(at, rest.remaining(), field);
            }
            at = position() + rest.position() - from - ready;
        }
        windowStart = at;
        window.limit(0).position(0);
    }

    private void require(int bytes, String field) {
        while (window.remaining() < bytes) {
            long end = windowStart + window.limit();
            if (end >= size) {
                throw truncated(position(), bytes - window.remaining(), field);
            }
            windowStart = position();
            window.compact();
            int got = fill(window, end, field);
            window.flip();
            if (got < 0) {
                throw truncated(position(), bytes - window.remaining(), field);
            }
        }
    }

    private int fill(ByteBuffer target, long at, String field) {
        try {
            return source.read(target, at);
        } catch (IOException e) {
            throw new MalformedDataException(
                    name + ", byte " + at + ", " + described(field) + ": it cannot be read: " + e, e);
        }
    }

    private MalformedDataException truncated(long at, int missing, String field) {
        return failure(
                at,
                field,
                "the file ends here, " + missing + (missing == 1 ? " byte" : " bytes")
                        + " too early: it is cut short or not yet complete");
    }

    /** A failure that names the file, the byte and the field. */
    MalformedDataException failure(long at, String field, String what) {
        return new MalformedDataException(
                name + ", byte " + at + ", " + Printable.brief(described(field)) + ": " + Printable.of(what));
    }

    private String described(String field) {
        return element < 0 ? field : "element " + element + " of the " + field;
    }
}
