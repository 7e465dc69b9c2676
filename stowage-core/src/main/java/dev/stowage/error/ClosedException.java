package dev.stowage.error;

/** Something that owns memory was used after it was closed. */
public final class ClosedException extends StowageException {

    public ClosedException(String message) {
        super(message);
    }
}
