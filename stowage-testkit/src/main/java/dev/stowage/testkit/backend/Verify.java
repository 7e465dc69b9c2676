package dev.stowage.testkit.backend;

import dev.stowage.error.StowageException;
import dev.stowage.testkit.op.Nmse;
import java.util.Arrays;

/** Assertions of checks. */
final class Verify {

    /** Something that must be refused. */
    @FunctionalInterface
    interface Call {
        void make() throws Exception;
    }

    private Verify() {}

    static void that(boolean holds, String otherwise) {
        if (!holds) {
            throw new CheckFailure(otherwise);
        }
    }

    /** The bytes must be the same. */
    static void bytes(byte[] expected, byte[] actual, String what) {
        int at = Arrays.mismatch(expected, actual);
        if (at >= 0) {
            throw new CheckFailure(what + ": byte " + at + " of " + expected.length + " must be " + expected[at]
                    + " and is " + actual[at]);
        }
    }

    /** The numbers must be close. */
    static void numbers(double[] expected, double[] actual, double maxError, String what) {
        Nmse nmse = Nmse.of(expected, actual);
        that(nmse.isWithin(maxError), what + ": " + nmse + ", allowed is " + maxError);
    }

    /** The call must throw such an exception; returns it. */
    static <E extends StowageException> E refused(Class<E> type, String what, Call call) {
        try {
            call.make();
        } catch (Exception thrown) {
            if (type.isInstance(thrown)) {
                return type.cast(thrown);
            }
            throw new CheckFailure(what + " must throw " + type.getSimpleName() + " and threw " + thrown, thrown);
        }
        throw new CheckFailure(what + " must throw " + type.getSimpleName() + " and was accepted");
    }
}
