package dev.stowage.testkit.backend;

/** Skips a check: the device does not claim the capability it is about. */
final class CheckSkipped extends RuntimeException {

    CheckSkipped(String reason) {
        super(reason);
    }
}
