package dev.stowage.rpc.wire;

/**
 * The requests of ggml's rpc protocol. A request is {@code number u8 | size u64 | payload}; a reply, where there is one,
 * is {@code size u64 | payload}. Numbers are little-endian and structs are packed.
 */
public enum Command {
    ALLOC_BUFFER(12, 16),
    GET_ALIGNMENT(4, 8),
    GET_MAX_SIZE(4, 8),
    BUFFER_GET_BASE(8, 8),
    FREE_BUFFER(8, Reply.EMPTY),
    BUFFER_CLEAR(9, Reply.EMPTY),
    SET_TENSOR(Request.VARIES, Reply.NONE),
    SET_TENSOR_HASH(WireTensor.BYTES + 16, 1),
    GET_TENSOR(WireTensor.BYTES + 16, Reply.VARIES),
    COPY_TENSOR(2 * WireTensor.BYTES, 1),
    GRAPH_COMPUTE(Request.VARIES, Reply.NONE),
    GET_DEVICE_MEMORY(4, 16),
    INIT_TENSOR(WireTensor.BYTES, Reply.EMPTY),
    GET_ALLOC_SIZE(4 + 11 * WireTensor.BYTES, 8),
    HELLO(24, 28),
    DEVICE_COUNT(0, 4),
    GRAPH_RECOMPUTE(4, Reply.NONE),
    MEMSET_TENSOR(WireTensor.BYTES + 17, Reply.EMPTY);

    /** Bytes before the payload of a request: the number of the command and the size. */
    public static final int HEADER_BYTES = 9;

    private static final Command[] BY_NUMBER = values();

    private interface Request {
        int VARIES = -1;
    }

    private interface Reply {
        int NONE = -1;
        int VARIES = -2;
        /** A reply without payload up to version 5, none from version 6 on. */
        int EMPTY = 0;
    }

    private final int requestBytes;
    private final int replyBytes;

    Command(int requestBytes, int replyBytes) {
        this.requestBytes = requestBytes;
        this.replyBytes = replyBytes;
    }

    /** The command with that number, or null. */
    public static @org.jspecify.annotations.Nullable Command ofNumber(int number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }

    /** The number that stands for this command on the wire. */
    @SuppressWarnings("EnumOrdinal") // the constants are listed in the order of their numbers
    public int number() {
        return ordinal();
    }

    /** Whether every request of this command has that many bytes of payload. */
    public boolean acceptsRequest(long bytes) {
        return requestBytes == Request.VARIES || requestBytes == bytes;
    }

    /** Whether the size of a reply is known before it comes. */
    public boolean acceptsReply(long bytes) {
        return replyBytes == Reply.VARIES || replyBytes == bytes;
    }

    /** Whether a request of this command is answered in that dialect. */
    public boolean isAnswered(Dialect dialect) {
        return switch (replyBytes) {
            case Reply.NONE -> false;
            case Reply.EMPTY -> dialect.answersWithNothing();
            default -> true;
        };
    }
}
