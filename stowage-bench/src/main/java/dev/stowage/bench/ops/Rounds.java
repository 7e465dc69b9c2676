package dev.stowage.bench.ops;

import java.util.ArrayList;
import java.util.List;

/**
 * Measures contenders alternately: all are warmed up first, then each round measures every one of them, so that
 * whatever happens to the machine happens to all. It pauses between two of them, since threads that still spin would
 * take time from the next.
 */
final class Rounds {

    /** Longer than threads watch for more work before they sleep. */
    private static final long QUIET_MILLIS = 3;

    private static final int FEWEST_ROUNDS = 5;
    private static final int FEWEST_STEADY_RUNS = 3;
    private static final int MOST_RUNS = 100_000;
    private static final double FASTER = 0.98;

    private final MeasurementSettings pace;

    Rounds(MeasurementSettings pace) {
        this.pace = pace;
    }

    /** The times of each contender, in their order. */
    List<RoundTimes> measure(List<Contender> contenders) {
        int[] runs = new int[contenders.size()];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = warmUp(contenders.get(i));
        }
        List<List<Double>> seconds = new ArrayList<>();
        contenders.forEach(_ -> seconds.add(new ArrayList<>()));
        long start = System.nanoTime();
        for (int round = 0; round < pace.rounds() && !isEnough(round, start); round++) {
            for (int offset = 0; offset < runs.length; offset++) {
                // Everybody is first in some round.
                int i = (round + offset) % runs.length;
                seconds.get(i).add(sample(contenders.get(i), runs[i]));
            }
        }
        List<RoundTimes> series = new ArrayList<>();
        for (int i = 0; i < runs.length; i++) {
            series.add(new RoundTimes(contenders.get(i).variant(), seconds.get(i)));
        }
        return series;
    }

    private boolean isEnough(int rounds, long start) {
        return rounds >= FEWEST_ROUNDS
                && System.nanoTime() - start > pace.patience().toNanos();
    }

    /** Runs a contender until it gets no faster, or for too long; returns how many runs a round takes. */
    private int warmUp(Contender contender) {
        rest();
        contender.begin();
        long start = System.nanoTime();
        long best = Long.MAX_VALUE;
        long improved = start;
        long now = start;
        int since = 0;
        boolean steady = false;
        while (!steady && now - start < pace.warmUp().toNanos()) {
            contender.run();
            long end = System.nanoTime();
            since++;
            if (end - now < best * FASTER) {
                best = end - now;
                improved = end;
                since = 0;
            }
            now = end;
            steady = since >= FEWEST_STEADY_RUNS
                    && now - improved >= pace.steady().toNanos();
        }
        contender.end();
        return Math.clamp(Math.ceilDiv(pace.sample().toNanos(), Math.max(1, best)), 1, MOST_RUNS);
    }

    private static double sample(Contender contender, int runs) {
        rest();
        contender.begin();
        double seconds = contender.seconds(runs);
        contender.end();
        return seconds;
    }

    private static void rest() {
        try {
            Thread.sleep(QUIET_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
