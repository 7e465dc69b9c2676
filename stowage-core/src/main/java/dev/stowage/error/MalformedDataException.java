package dev.stowage.error;

/** Text or a file that could not be read as what it claims to be; the message says where and why. */
public final class MalformedDataException extends StowageException {

    public MalformedDataException(String message) {
        super(message);
    }

    public MalformedDataException(String message, Throwable cause) {
        super(message, cause);
    }
}
