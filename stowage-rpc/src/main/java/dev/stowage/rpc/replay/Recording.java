package dev.stowage.rpc.replay;

import dev.stowage.error.MalformedDataException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * Recorded conversations between a client and a server of ggml's rpc protocol: a gzipped file of pieces {@code connection u8
 * | direction u8 (0 client to server) | length u32 | bytes}.
 *
 * @param conversations one for each connection, in the order of their numbers
 */
public record Recording(List<Conversation> conversations) {

    /** All bytes that passed on one connection, by direction; little-endian. */
    public record Conversation(int connection, ByteBuffer requests, ByteBuffer replies) {}

    private static final int HEADER_BYTES = 6;
    private static final int GZIP_MAGIC = 0x1f;

    public Recording {
        conversations = List.copyOf(conversations);
    }

    /**
     * Reads a recording, gzipped or not.
     *
     * @throws IOException if the file cannot be read
     * @throws MalformedDataException if it is not a recording
     */
    public static Recording read(Path file) throws IOException {
        Map<Integer, ByteArrayOutputStream[]> connections = new TreeMap<>();
        try (DataInputStream in = new DataInputStream(open(file))) {
            byte[] header = new byte[HEADER_BYTES];
            int got = in.readNBytes(header, 0, HEADER_BYTES);
            while (got == HEADER_BYTES) {
                int length =
                        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(2);
                int direction = header[1];
                if (length < 0 || direction < 0 || direction > 1) {
                    throw new MalformedDataException(file + " is not a recording of rpc: a piece has direction "
                            + direction + " and " + Integer.toUnsignedString(length) + " bytes");
                }
                ByteArrayOutputStream[] both = connections.computeIfAbsent(header[0] & 0xff, _ ->
                        new ByteArrayOutputStream[] {new ByteArrayOutputStream(), new ByteArrayOutputStream()});
                byte[] bytes = in.readNBytes(length);
                if (bytes.length < length) {
                    throw new MalformedDataException(file + " ends within a piece");
                }
                both[direction].write(bytes);
                got = in.readNBytes(header, 0, HEADER_BYTES);
            }
            if (got != 0) {
                throw new MalformedDataException(file + " ends within the header of a piece");
            }
        } catch (EOFException e) {
            throw new MalformedDataException(file + " is cut off", e);
        }
        List<Conversation> all = new ArrayList<>();
        connections.forEach((number, both) -> all.add(new Conversation(number, bytes(both[0]), bytes(both[1]))));
        return new Recording(all);
    }

    private static InputStream open(Path file) throws IOException {
        BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        in.mark(1);
        int first = in.read();
        in.reset();
        return first == GZIP_MAGIC ? new BufferedInputStream(new GZIPInputStream(in, 1 << 16)) : in;
    }

    private static ByteBuffer bytes(ByteArrayOutputStream out) {
        return ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    }
}
