package dev.stowage.bench.llm;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How many tokens were done in a second, measured several times.
 *
 * @param rounds a number for each time
 */
public record TokenRate(List<Double> rounds) {

    public TokenRate {
        rounds = List.copyOf(rounds);
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
    }

    /** Tokens and the nanoseconds they took, for each time. */
    static TokenRate of(int tokens, long... nanoseconds) {
        return new TokenRate(
                Arrays.stream(nanoseconds).mapToObj(time -> tokens * 1e9 / time).toList());
    }

    /** The one in the middle. */
    public double median() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /** How far apart the fastest and the slowest are, as a part of the one in the middle. */
    public double spread() {
        double fastest = rounds.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        double slowest = rounds.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        return (fastest - slowest) / median();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.2f t/s (spread %.1f %%)", median(), 100 * spread());
    }
}
