package dev.stowage.error;

/** What was asked for cannot be done now, as others keep everything busy, but can be later. */
public final class BusyException extends StowageException {

    public BusyException(String message) {
        super(message);
    }
}
