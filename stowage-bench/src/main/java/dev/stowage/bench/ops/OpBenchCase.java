package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;
import java.util.function.Function;

/**
 * Something to measure.
 *
 * @param group what it is asked for by, one of {@link dev.stowage.cli.bench.OpsBenchGroups}
 * @param shape the sizes, human-readable
 * @param type the type of the weights or the cache, which is what kernels differ in
 * @param rate the unit of its speed
 * @param work how much of it one run does
 * @param maxError how far the numbers may be from ggml's, as a normalised mean squared error
 * @param demand who wants it measured
 * @param maker builds it anew, each time the same from the same data
 */
record OpBenchCase(
        String group,
        String shape,
        ElementType type,
        SpeedUnit rate,
        double work,
        double maxError,
        Demand demand,
        Function<TestData, BenchWorkload> maker) {

    /** When a case is measured. */
    enum Demand {
        /** Always. */
        USUAL,
        /** Unless it has to be quick. */
        PATIENT,
        /** Only if its type is asked for. */
        ON_REQUEST,
        /** Only if its type is asked for, and it has not to be quick. */
        PATIENT_ON_REQUEST;

        boolean isPatient() {
            return this == PATIENT || this == PATIENT_ON_REQUEST;
        }

        boolean isOnRequest() {
            return this == ON_REQUEST || this == PATIENT_ON_REQUEST;
        }

        /** The same for a case that takes long. */
        Demand patient() {
            return isOnRequest() ? PATIENT_ON_REQUEST : PATIENT;
        }
    }

    /** Group and sizes. */
    String name() {
        return group + " " + shape;
    }

    BenchWorkload make(TestData data) {
        return maker.apply(data);
    }
}
