package dev.stowage.cli.bench;

import java.util.Arrays;
import java.util.List;

/**
 * How fast a test went, once for each repetition.
 *
 * @param test what was measured
 * @param speeds the tokens per second of each repetition, at least one
 */
record BenchResult(ModelBenchCase test, List<Double> speeds) {
    private static final double NANOS_PER_SECOND = 1e9;

    BenchResult {
        speeds = List.copyOf(speeds);
    }

    static BenchResult ofNanos(ModelBenchCase test, long[] nanos) {
        return new BenchResult(
                test,
                Arrays.stream(nanos)
                        .mapToObj(each -> test.tokens() * NANOS_PER_SECOND / Math.max(1, each))
                        .toList());
    }

    double mean() {
        return speeds.stream().mapToDouble(Double::doubleValue).sum() / speeds.size();
    }

    /** How far repetitions are from the mean, estimated from these; 0 of a single one. */
    double deviation() {
        if (speeds.size() < 2) {
            return 0;
        }
        double mean = mean();
        double squares = speeds.stream()
                .mapToDouble(speed -> (speed - mean) * (speed - mean))
                .sum();
        return Math.sqrt(squares / (speeds.size() - 1));
    }

    double median() {
        double[] sorted =
                speeds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
