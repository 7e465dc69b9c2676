package dev.stowage.rpc.wire;

/** Fills the words for the parameters of an op from the first on; those that are not reached are zero. */
final class WordWriter {

    private final int[] words = new int[WireTensor.PARAMETERS];
    private int end;

    WordWriter ints(int... values) {
        for (int value : values) {
            words[end++] = value;
        }
        return this;
    }

    WordWriter floats(float... values) {
        for (float value : values) {
            words[end++] = Float.floatToRawIntBits(value);
        }
        return this;
    }

    WordWriter flag(boolean value) {
        return ints(value ? 1 : 0);
    }

    /** One number of two words. */
    WordWriter size(long value) {
        return ints((int) value, (int) (value >>> Integer.SIZE));
    }

    int[] words() {
        return words;
    }
}
