package dev.stowage.error;

/**
 * Memory could not be allocated. Carries the buffer type, the requested and the available bytes, so that a caller can
 * choose a smaller plan without parsing text.
 */
public final class AllocationException extends StowageException {

    private final String bufferType;
    private final long requestedBytes;
    private final long availableBytes;

    /**
     * @param bufferType name of the buffer type or buffer that was asked
     * @param requestedBytes the requested size
     * @param availableBytes the most that was available, or -1 where that is not known
     */
    public AllocationException(String message, String bufferType, long requestedBytes, long availableBytes) {
        super(message);
        this.bufferType = bufferType;
        this.requestedBytes = requestedBytes;
        this.availableBytes = availableBytes;
    }

    /** As the other constructor, with the failure of the platform as its cause. */
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

    /** The requested bytes. */
    public long requestedBytes() {
        return requestedBytes;
    }

    /** The most bytes that were available, or -1 where that is not known. */
    public long availableBytes() {
        return availableBytes;
    }
}
