package dev.stowage.bench.ops;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How long a contender took for one run, measured in several rounds.
 *
 * @param variant which way it computed
 * @param seconds a number for each round
 */
record RoundTimes(String variant, List<Double> seconds) {

    RoundTimes {
        seconds = List.copyOf(seconds);
        if (seconds.isEmpty()) {
            throw new IllegalArgumentException("there is no round of '" + variant + "'");
        }
    }

    /** The fastest of several, by their medians. */
    static RoundTimes fastest(List<RoundTimes> series) {
        return series.stream()
                .min(Comparator.comparingDouble(RoundTimes::median))
                .orElseThrow();
    }

    /** The same for a part of each run. */
    RoundTimes dividedBy(int parts) {
        return new RoundTimes(
                variant, seconds.stream().map(each -> each / parts).toList());
    }

    double median() {
        return quantile(0.5);
    }

    /** The interquartile range of the rounds, relative to the median. */
    double spread() {
        return (quantile(0.75) - quantile(0.25)) / median();
    }

    /** A quantile of the rounds, interpolated between two of them. */
    double quantile(double part) {
        double[] sorted =
                seconds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        double place = part * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }

    @Override
    public String toString() {
        return variant + " " + Arrays.toString(seconds.toArray());
    }
}
