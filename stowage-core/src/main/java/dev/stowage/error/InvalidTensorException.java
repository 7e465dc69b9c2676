package dev.stowage.error;

/** A type, shape, stride, view or operand that no tensor or op can have: an impossible shape, a rule of an op broken. */
public final class InvalidTensorException extends StowageException {

    public InvalidTensorException(String message) {
        super(message);
    }
}
