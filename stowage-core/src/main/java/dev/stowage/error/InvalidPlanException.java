package dev.stowage.error;

/** A memory plan that does not hold for the graph it is used with, or that breaks one of the rules of a plan. */
public final class InvalidPlanException extends StowageException {

    public InvalidPlanException(String message) {
        super(message);
    }
}
