package dev.stowage.error;

/** An invalid type, shape, stride, view or operand: an impossible shape, a broken rule of an op. */
public final class InvalidTensorException extends StowageException {

    public InvalidTensorException(String message) {
        super(message);
    }
}
