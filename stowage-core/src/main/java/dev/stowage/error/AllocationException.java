package dev.stowage.error;

/**
 * Memory was asked for and could not be given. Besides the message it carries who was asked, for how much, and how
 * much could have been had, so that a caller can decide on a smaller plan without parsing text.
 */
public final class AllocationException extends StowageException {

    private final String bufferType;
    private final long requestedBytes;
    private final long availableBytes;

    /**
     * @param bufferType name of the buffer type or buffer that was asked
     * @param requestedBytes what was asked for
     * @param availableBytes the most that could have been had, or -1 where that is not known
     */
    public AllocationException(String message, String bufferType, long requestedBytes, long availableBytes) {
        super(message);
        this.bufferType = bufferType;
        this.requestedBytes = requestedBytes;
        this.availableBytes = availableBytes;
    }

    /** As the other constructor, with the failure of the platform that lies behind it. */
    public AllocationException(
            String message, String bufferType, long requestedBytes, long availableBytes, Throwable cause) {
        super(message, cause);
        this.bufferType = bufferType;
        this.requestedBytes = requestedBytes;
        this.availableBytes = availableBytes;
    }

    /** The name of the buffer type or buffer that was asked. */
    public String bufferType() {
        return bufferType;
    }

    /** The bytes that were asked for. */
    public long requestedBytes() {
        return requestedBytes;
    }

    /** The most bytes that could have been had, or -1 where that is not known. */
    public long availableBytes() {
        return availableBytes;
    }
}
