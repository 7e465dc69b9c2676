package dev.stowage.schedule.cost;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The predicted gain of a placement by cost.
 *
 * @param nanos the time per run; in a pipeline, with as many runs in flight as possible
 * @param ggmlNanos the same with ggml's placement; never less, unless that does not fit the memory limits
 */
public record PredictedGain(long nanos, long ggmlNanos) {

    /** The predicted speedup over ggml's placement. */
    public double speedup() {
        return nanos == 0 ? 1 : (double) ggmlNanos / nanos;
    }

    /** Human-readable: {@code predicted 1.250 ms a run (ggml's placement: 2.500 ms)}. */
    @Override
    public String toString() {
        return "predicted " + millis(nanos) + " a run (ggml's placement: " + millis(ggmlNanos) + ")";
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", (double) nanos / TimeUnit.MILLISECONDS.toNanos(1));
    }
}
