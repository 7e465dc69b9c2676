package dev.stowage.rpc.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/**
 * A tensor as messages describe it: 296 bytes.
 *
 * <pre>
 *     0 id u64         8 type u32       12 buffer u64      20 ne u32[4]     36 nb u32[4]     52 op u32
 *    56 op_params i32[16]   120 flags i32   124 src u64[10]   204 view_src u64   212 view_offs u64
 *   220 data u64     228 name, 64 bytes   292 use_count i32
 * </pre>
 *
 * <p>A view of such bytes in a message: fields are read and written in place.
 */
public final class WireTensor {

    /** The bytes of a tensor in a message. */
    public static final int BYTES = 296;

    /** How many sources a tensor can have. */
    public static final int SOURCES = 10;

    /** How many words there are for the parameters of an op. */
    public static final int PARAMETERS = 16;

    /** Flag: the caller writes the tensor before a run. */
    public static final int INPUT = 1;

    /** Flag: the caller reads the tensor after a run. */
    public static final int OUTPUT = 2;

    /** Flag: the node is to be computed. */
    public static final int COMPUTE = 16;

    private static final int TYPE = 8;
    private static final int BUFFER = 12;
    private static final int NE = 20;
    private static final int NB = 36;
    private static final int OP = 52;
    private static final int OP_PARAMS = 56;
    private static final int FLAGS = 120;
    private static final int SRC = 124;
    private static final int VIEW_SRC = 204;
    private static final int VIEW_OFFS = 212;
    private static final int DATA = 220;
    private static final int NAME = 228;
    private static final int NAME_BYTES = 64;
    private static final int USE_COUNT = 292;

    private final ByteBuffer message;
    private final int at;

    /** The tensor whose bytes begin at an index of a little-endian message. */
    public WireTensor(ByteBuffer message, int at) {
        this.message = message;
        this.at = at;
    }

    public long id() {
        return message.getLong(at);
    }

    public void id(long id) {
        message.putLong(at, id);
    }

    /** The number of the element type, as in GGUF files. */
    public int type() {
        return message.getInt(at + TYPE);
    }

    public void type(int code) {
        message.putInt(at + TYPE, code);
    }

    /** The handle of the buffer it is stored in; 0 for none. */
    public long buffer() {
        return message.getLong(at + BUFFER);
    }

    public void buffer(long handle) {
        message.putLong(at + BUFFER, handle);
    }

    public long ne(int i) {
        return Integer.toUnsignedLong(message.getInt(at + NE + 4 * i));
    }

    public void ne(int i, int size) {
        message.putInt(at + NE + 4 * i, size);
    }

    public long nb(int i) {
        return Integer.toUnsignedLong(message.getInt(at + NB + 4 * i));
    }

    public void nb(int i, int stride) {
        message.putInt(at + NB + 4 * i, stride);
    }

    public int op() {
        return message.getInt(at + OP);
    }

    public void op(int number) {
        message.putInt(at + OP, number);
    }

    public int parameter(int word) {
        return message.getInt(at + OP_PARAMS + 4 * word);
    }

    public void parameter(int word, int value) {
        message.putInt(at + OP_PARAMS + 4 * word, value);
    }

    public int flags() {
        return message.getInt(at + FLAGS);
    }

    public void flags(int flags) {
        message.putInt(at + FLAGS, flags);
    }

    /** The id of a source; 0 for none. */
    public long src(int slot) {
        return message.getLong(at + SRC + 8 * slot);
    }

    public void src(int slot, long id) {
        message.putLong(at + SRC + 8 * slot, id);
    }

    /** The id of the tensor whose bytes this one shares; 0 for none. */
    public long viewSrc() {
        return message.getLong(at + VIEW_SRC);
    }

    public void viewSrc(long id) {
        message.putLong(at + VIEW_SRC, id);
    }

    public long viewOffset() {
        return message.getLong(at + VIEW_OFFS);
    }

    public void viewOffset(long offset) {
        message.putLong(at + VIEW_OFFS, offset);
    }

    /** The address of the first byte: the base address of the buffer and an offset. */
    public long data() {
        return message.getLong(at + DATA);
    }

    public void data(long address) {
        message.putLong(at + DATA, address);
    }

    public String name() {
        byte[] bytes = new byte[NAME_BYTES];
        message.get(at + NAME, bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, UTF_8);
    }

    /** Writes a name, cut so that a zero follows it. */
    public void name(String name) {
        byte[] bytes = name.getBytes(UTF_8);
        message.put(at + NAME, bytes, 0, Math.min(bytes.length, NAME_BYTES - 1));
    }

    /** How often the tensor is a source in the graph it is from. */
    public int useCount() {
        return message.getInt(at + USE_COUNT);
    }

    public void useCount(int uses) {
        message.putInt(at + USE_COUNT, uses);
    }
}
