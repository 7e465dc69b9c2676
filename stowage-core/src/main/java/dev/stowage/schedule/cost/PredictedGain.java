package dev.stowage.schedule.cost;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What a placement by cost predicts.
 *
 * @param nanos what a run takes as placed; with a pipeline, its share of what as many runs take as can be in flight
 * @param ggmlNanos the same with ggml's placement; never less, unless that does not fit the memory stated
 */
public record PredictedGain(long nanos, long ggmlNanos) {

    /** How many times as fast it is predicted to be as ggml's placement. */
    public double speedup() {
        return nanos == 0 ? 1 : (double) ggmlNanos / nanos;
    }

    /** For people: {@code predicted 1.250 ms a run (ggml's placement: 2.500 ms)}. */
    @Override
    public String toString() {
        return "predicted " + millis(nanos) + " a run (ggml's placement: " + millis(ggmlNanos) + ")";
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", (double) nanos / TimeUnit.MILLISECONDS.toNanos(1));
    }
}
