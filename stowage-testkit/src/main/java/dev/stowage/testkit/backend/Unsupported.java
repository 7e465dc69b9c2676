package dev.stowage.testkit.backend;

/** Ends a check: the device does not claim the ability it is about. */
final class Unsupported extends RuntimeException {

    Unsupported(String reason) {
        super(reason);
    }
}
