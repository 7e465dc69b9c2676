package dev.stowage.error;

/** A graph that cannot be one: a node before its source, a node listed twice, a slice or an order out of range. */
public final class InvalidGraphException extends StowageException {

    public InvalidGraphException(String message) {
        super(message);
    }
}
