package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/** A tensor inside ggml: its C struct, read and written by field. {@link GgmlStructCheck} verifies the layout. */
public record GgmlTensor(MemorySegment struct) {

    public static final int MAX_SOURCES = 10;
    static final int MAX_NAME_BYTES = 64;
    public static final int FLAG_INPUT = 1;
    public static final int FLAG_OUTPUT = 2;
    public static final int FLAG_COMPUTE = 16;
    static final int PARAMETER_WORDS = 16;

    private static final int DIMENSIONS = 4;

    public static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_INT.withName("type"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("buffer"),
            MemoryLayout.sequenceLayout(DIMENSIONS, JAVA_LONG).withName("ne"),
            MemoryLayout.sequenceLayout(DIMENSIONS, JAVA_LONG).withName("nb"),
            JAVA_INT.withName("op"),
            MemoryLayout.sequenceLayout(PARAMETER_WORDS, JAVA_INT).withName("op_params"),
            JAVA_INT.withName("flags"),
            MemoryLayout.sequenceLayout(MAX_SOURCES, ADDRESS).withName("src"),
            ADDRESS.withName("view_src"),
            JAVA_LONG.withName("view_offs"),
            ADDRESS.withName("data"),
            MemoryLayout.sequenceLayout(MAX_NAME_BYTES, JAVA_BYTE).withName("name"),
            ADDRESS.withName("extra"),
            MemoryLayout.paddingLayout(8));

    private static final long TYPE = offset("type");
    private static final long BUFFER = offset("buffer");
    private static final long NE = offset("ne");
    private static final long NB = offset("nb");
    static final long OP = offset("op");
    private static final long OP_PARAMS = offset("op_params");
    private static final long FLAGS = offset("flags");
    private static final long SRC = offset("src");
    private static final long VIEW_SRC = offset("view_src");
    private static final long VIEW_OFFS = offset("view_offs");
    private static final long DATA = offset("data");
    private static final long NAME = offset("name");
    private static final long EXTRA = offset("extra");

    private static long offset(String field) {
        return LAYOUT.byteOffset(PathElement.groupElement(field));
    }

    @SuppressWarnings("restricted")
    public static GgmlTensor at(MemorySegment address) {
        return new GgmlTensor(address.reinterpret(LAYOUT.byteSize()));
    }

    public boolean isAt(MemorySegment address) {
        return struct.address() == address.address();
    }

    public int type() {
        return struct.get(JAVA_INT, TYPE);
    }

    void setType(int code) {
        struct.set(JAVA_INT, TYPE, code);
    }

    public long dimension(int i) {
        return struct.get(JAVA_LONG, NE + i * JAVA_LONG.byteSize());
    }

    public void setDimension(int i, long elements) {
        struct.set(JAVA_LONG, NE + i * JAVA_LONG.byteSize(), elements);
    }

    public long stride(int i) {
        return struct.get(JAVA_LONG, NB + i * JAVA_LONG.byteSize());
    }

    public void setStride(int i, long bytes) {
        struct.set(JAVA_LONG, NB + i * JAVA_LONG.byteSize(), bytes);
    }

    public int op() {
        return struct.get(JAVA_INT, OP);
    }

    public void setOp(int code) {
        struct.set(JAVA_INT, OP, code);
    }

    /** The words in which an op keeps its parameters. */
    public MemorySegment parameters() {
        return struct.asSlice(OP_PARAMS, PARAMETER_WORDS * JAVA_INT.byteSize());
    }

    public int flags() {
        return struct.get(JAVA_INT, FLAGS);
    }

    public void setFlags(int flags) {
        struct.set(JAVA_INT, FLAGS, flags);
    }

    public MemorySegment source(int slot) {
        return struct.get(ADDRESS, SRC + slot * ADDRESS.byteSize());
    }

    public void setSource(int slot, GgmlTensor source) {
        struct.set(ADDRESS, SRC + slot * ADDRESS.byteSize(), source.struct);
    }

    public MemorySegment viewSource() {
        return struct.get(ADDRESS, VIEW_SRC);
    }

    public long viewOffset() {
        return struct.get(JAVA_LONG, VIEW_OFFS);
    }

    public void setView(GgmlTensor source, long offset) {
        struct.set(ADDRESS, VIEW_SRC, source.struct);
        struct.set(JAVA_LONG, VIEW_OFFS, offset);
    }

    /** The address of the first byte, 0 while there is none. */
    public long data() {
        return struct.get(ADDRESS, DATA).address();
    }

    /** The buffer that holds the tensor, or the null address. */
    public MemorySegment buffer() {
        return struct.get(ADDRESS, BUFFER);
    }

    /** Places the tensor at an address outside all buffers, or nowhere if that is 0. */
    public void setData(long address) {
        struct.set(ADDRESS, BUFFER, MemorySegment.NULL);
        struct.set(ADDRESS, DATA, MemorySegment.ofAddress(address));
    }

    /** Removes the tensor from its memory, with what that memory attached to it. */
    public void forgetMemory() {
        setData(0);
        struct.set(ADDRESS, EXTRA, MemorySegment.NULL);
    }

    /** Whether its memory knows a layout of its own for this tensor. */
    public boolean hasLayoutOfItsMemory() {
        return !struct.get(ADDRESS, EXTRA).equals(MemorySegment.NULL);
    }

    /** The bytes at the address the tensor has. */
    @SuppressWarnings("restricted")
    public MemorySegment bytes(long size) {
        return struct.get(ADDRESS, DATA).reinterpret(size);
    }

    public String name() {
        return struct.getString(NAME);
    }

    public void setName(String name) {
        struct.setString(NAME, fitting(name));
    }

    /** As much of a name as ggml has room for, in whole characters. */
    public static String fitting(String name) {
        ByteBuffer room = ByteBuffer.allocate(MAX_NAME_BYTES - 1);
        CharBuffer characters = CharBuffer.wrap(name);
        StandardCharsets.UTF_8.newEncoder().encode(characters, room, true);
        return name.substring(0, characters.position());
    }
}
