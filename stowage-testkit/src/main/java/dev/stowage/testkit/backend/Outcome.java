package dev.stowage.testkit.backend;

/** How a check ended. */
public sealed interface Outcome {

    /** The device does what it must. */
    record Passed() implements Outcome {}

    /**
     * It does not.
     *
     * @param message which device and case, what was expected and what was found
     */
    record Failed(String message) implements Outcome {}

    /**
     * The device never claimed to be able to.
     *
     * @param reason the device's own words, or the ability it lacks
     */
    record NotSupported(String reason) implements Outcome {}
}
