package dev.stowage.error;

/** Bytes were reached for that are not there: a range outside its tensor or buffer, a tensor that has no place yet. */
public final class AccessException extends StowageException {

    public AccessException(String message) {
        super(message);
    }
}
