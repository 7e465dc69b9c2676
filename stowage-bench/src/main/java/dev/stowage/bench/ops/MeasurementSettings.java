package dev.stowage.bench.ops;

import java.time.Duration;

/**
 * How a case is measured.
 *
 * @param rounds how often each contender is measured
 * @param warmUp the longest a contender is run before that
 * @param steady how long it has to have become no faster for the warm-up to end
 * @param sample how long the runs of one round take together, at least
 * @param patience rounds end early when they have taken that long, but not before there are five
 */
record MeasurementSettings(int rounds, Duration warmUp, Duration steady, Duration sample, Duration patience) {

    static MeasurementSettings of(int rounds, boolean quick) {
        return quick
                ? new MeasurementSettings(
                        rounds, Duration.ofSeconds(3), millis(200), millis(20), Duration.ofSeconds(10))
                : new MeasurementSettings(
                        rounds, Duration.ofSeconds(5), millis(400), millis(40), Duration.ofSeconds(40));
    }

    private static Duration millis(int count) {
        return Duration.ofMillis(count);
    }
}
