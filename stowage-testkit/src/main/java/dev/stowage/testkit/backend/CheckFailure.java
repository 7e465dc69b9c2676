package dev.stowage.testkit.backend;

/** Ends a check: the device did something else than it must. */
final class CheckFailure extends RuntimeException {

    CheckFailure(String message) {
        super(message);
    }

    CheckFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
