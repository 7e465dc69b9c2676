package dev.stowage.error;

/** An invalid graph: a node before its source, a node listed twice, a slice or an order out of range. */
public final class InvalidGraphException extends StowageException {

    public InvalidGraphException(String message) {
        super(message);
    }
}
