package dev.stowage.bench.ops;

import java.util.List;
import java.util.OptionalDouble;

/**
 * What was measured of a case.
 *
 * @param benchCase the case
 * @param threads with how many threads, on both sides
 * @param ours the ways the device has to compute it
 * @param ggml the ways ggml has; empty where it is not there
 * @param error how far the worst of our ways is from ggml's numbers; empty where there is nothing to compare with
 * @param isExact whether that is near enough
 * @param remark what else there is to say, or nothing
 */
record CaseResult(
        OpBenchCase benchCase,
        int threads,
        List<RoundTimes> ours,
        List<RoundTimes> ggml,
        OptionalDouble error,
        boolean isExact,
        String remark) {

    CaseResult {
        ours = List.copyOf(ours);
        ggml = List.copyOf(ggml);
    }

    /** A case that could not be measured. */
    static CaseResult refused(OpBenchCase benchCase, int threads, String reason) {
        return new CaseResult(benchCase, threads, List.of(), List.of(), OptionalDouble.empty(), true, reason);
    }

    /** How many times as fast as ggml the device is, each in its best way. */
    OptionalDouble ratio() {
        return ours.isEmpty() || ggml.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(RoundTimes.fastest(ggml).median()
                        / RoundTimes.fastest(ours).median());
    }
}
