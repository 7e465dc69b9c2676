package dev.stowage.testkit.backend;

/** Ends a check: the device does not conform. */
final class CheckFailure extends RuntimeException {

    CheckFailure(String message) {
        super(message);
    }

    CheckFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
