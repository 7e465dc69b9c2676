package dev.stowage.testkit.backend;

/** Ends a check: the device does not claim the ability it is about. */
final class CheckSkipped extends RuntimeException {

    CheckSkipped(String reason) {
        super(reason);
    }
}
