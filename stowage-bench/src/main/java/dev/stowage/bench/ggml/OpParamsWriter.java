package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Fills the parameter words of a ggml tensor from the first on; those that are not reached are zero, as in ggml. */
final class OpParamsWriter {

    private final MemorySegment words;
    private long end;

    OpParamsWriter(GgmlTensor tensor) {
        this.words = tensor.parameters();
        words.fill((byte) 0);
    }

    OpParamsWriter ints(int... values) {
        for (int value : values) {
            words.set(JAVA_INT, end, value);
            end += Integer.BYTES;
        }
        return this;
    }

    OpParamsWriter floats(float... values) {
        for (float value : values) {
            words.set(JAVA_FLOAT, end, value);
            end += Float.BYTES;
        }
        return this;
    }

    OpParamsWriter flag(boolean value) {
        return ints(value ? 1 : 0);
    }

    /** One number of two words. */
    OpParamsWriter size(long value) {
        words.set(JAVA_LONG_UNALIGNED, end, value);
        end += Long.BYTES;
        return this;
    }
}
