package dev.stowage.llm.fit;

/**
 * A change that helps a model to fit. It has been planned like the model itself.
 *
 * @param change what to change
 * @param missing the bytes that are then still missing; 0 if it fits
 */
public record FitAdvice(FitChange change, long missing) {

    /** Whether the change is enough by itself. */
    public boolean fits() {
        return missing == 0;
    }
}
