package dev.stowage.llm.engine;

import dev.stowage.llm.Session;

/** The vector of one text, while its tokens go through the model. */
final class Pooler {

    private final Pooling pooling;
    private final int tokens;
    private final double[] sum;
    private int read;

    Pooler(Pooling pooling, int tokens, int width) {
        this.pooling = pooling;
        this.tokens = tokens;
        this.sum = new double[width];
    }

    /** Whether the state after a token is needed, counted from the next. */
    boolean wants(int ahead) {
        return switch (pooling) {
            case MEAN -> true;
            case LAST -> read + ahead == tokens - 1;
            case CLS -> read + ahead == 0;
        };
    }

    /**
     * How many tokens to run at once at most. Memory is planned for a full batch with few outputs; where every token has
     * one, half as many tokens need less than that.
     */
    int most(int batchSize) {
        return pooling == Pooling.MEAN ? Math.max(1, batchSize / 2) : batchSize;
    }

    /** Takes the states of a run of so many tokens, from an output on; returns the first output that is not of them. */
    int add(Session session, int first, int count) {
        int output = first;
        for (int i = 0; i < count; i++) {
            if (wants(i)) {
                float[] state = session.state(output++);
                for (int j = 0; j < sum.length; j++) {
                    sum[j] += state[j];
                }
            }
        }
        read += count;
        return output;
    }

    /** The vector, of length 1; of length 0 where all states are. */
    float[] vector() {
        double squares = 0;
        for (double each : sum) {
            squares += each * each;
        }
        double scale = squares == 0 ? 0 : 1 / Math.sqrt(squares);
        float[] vector = new float[sum.length];
        for (int j = 0; j < vector.length; j++) {
            vector[j] = (float) (sum[j] * scale);
        }
        return vector;
    }
}
