package dev.stowage.error;

/** An access to bytes that do not exist: a range outside its tensor or buffer, a tensor without memory. */
public final class AccessException extends StowageException {

    public AccessException(String message) {
        super(message);
    }
}
