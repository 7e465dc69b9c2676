package dev.stowage.serve.wire;

import java.time.Duration;
import java.util.Map;

/**
 * How long an answer took, with the names of llama-server, which benchmarks read.
 *
 * @param cached tokens of the prompt that were not read, since the cache had them
 * @param read tokens of the prompt that were read
 * @param reading how long that took, up to the first token of the answer
 * @param written tokens of the answer
 * @param writing how long the tokens after the first took
 */
public record Timings(int cached, int read, Duration reading, int written, Duration writing) {

    private static final double NANOS_PER_MILLI = 1e6;

    Map<String, Object> json() {
        double promptMillis = reading.toNanos() / NANOS_PER_MILLI;
        double millis = writing.toNanos() / NANOS_PER_MILLI;
        // The first token comes with the prompt.
        int timed = Math.max(0, written - 1);
        return Json.object(
                "cache_n",
                cached,
                "prompt_n",
                read,
                "prompt_ms",
                promptMillis,
                "prompt_per_token_ms",
                promptMillis / Math.max(1, read),
                "prompt_per_second",
                perSecond(read, promptMillis),
                "predicted_n",
                written,
                "predicted_ms",
                millis,
                "predicted_per_token_ms",
                millis / Math.max(1, timed),
                "predicted_per_second",
                perSecond(timed, millis));
    }

    private static double perSecond(int count, double millis) {
        return millis == 0 ? 0 : 1000 * count / millis;
    }
}
