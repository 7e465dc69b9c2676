package dev.stowage.error;

/**
 * The root of everything Stowage throws on purpose. The family is sealed, so a caller can switch over it
 * exhaustively; every message names the thing that is wrong (tensor, op, buffer, device), the numbers involved and
 * what can be done about it. After any of these the object that threw is as it was before the call.
 */
public abstract sealed class StowageException extends RuntimeException
        permits InvalidTensorException,
                InvalidGraphException,
                InvalidPlanException,
                AllocationException,
                AccessException,
                BusyException,
                ClosedException,
                DeviceException,
                DeviceLostException,
                UnsupportedOpException,
                RunException,
                MalformedDataException {

    StowageException(String message) {
        super(message);
    }

    StowageException(String message, Throwable cause) {
        super(message, cause);
    }
}
