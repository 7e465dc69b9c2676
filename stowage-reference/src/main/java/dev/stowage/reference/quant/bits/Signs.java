package dev.stowage.reference.quant.bits;

/**
 * The signs of eight elements as bits, lowest first, set for negative. Some types keep only seven of them, since they
 * allow only even numbers of negative elements: the eighth follows from the others.
 */
public final class Signs {

    public static final int COUNT = 8;

    private static final int STORED = 0x7F;

    private Signs() {}

    /** All eight signs, from seven whose number is made even. */
    public static int fromSeven(int seven) {
        return seven | ((Integer.bitCount(seven) % 2) << 7);
    }

    /** The number, with the other sign if that of element {@code i} is set. */
    public static float apply(int signs, int i, float value) {
        return ((signs >>> i) & 1) == 0 ? value : -value;
    }

    /** Splits the elements at {@code from} into magnitudes, which go to {@code at} on, and signs, which it returns. */
    public static int split(float[] source, int from, float[] magnitudes, int at) {
        int signs = 0;
        for (int i = 0; i < COUNT; i++) {
            boolean positive = source[from + i] >= 0;
            magnitudes[at + i] = positive ? source[from + i] : -source[from + i];
            signs |= positive ? 0 : 1 << i;
        }
        return signs;
    }

    /**
     * As {@link #split}, but returns only seven signs. Where the number of negative elements is odd, the one that
     * matters least gets the wrong sign, and a negative magnitude. Weights are those from {@code at} on.
     */
    public static int splitEven(float[] source, int from, float[] weights, float[] magnitudes, int at) {
        int signs = split(source, from, magnitudes, at);
        if (Integer.bitCount(signs) % 2 == 1) {
            int least = 0;
            float leastLoss = loss(source[from], weights[at]);
            for (int i = 1; i < COUNT; i++) {
                float loss = loss(source[from + i], weights[at + i]);
                if (loss < leastLoss) {
                    least = i;
                    leastLoss = loss;
                }
            }
            magnitudes[at + least] = -magnitudes[at + least];
            signs ^= 1 << least;
        }
        return signs & STORED;
    }

    private static float loss(float value, float weight) {
        return weight * value * value;
    }
}
