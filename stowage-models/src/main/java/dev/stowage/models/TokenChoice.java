package dev.stowage.models;

import dev.stowage.device.Device;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** Which token the graph of a pass chooses after each output, if any, so that the caller need not read all logits. */
public sealed interface TokenChoice {

    /** No token: the pass ends with logits. */
    TokenChoice NONE = new None();

    /** The token with the largest logit. */
    TokenChoice LARGEST = new Largest();

    /** No token and no logits: the pass ends with the state of each output, which embeddings of texts are made of. */
    TokenChoice STATES = new States();

    /** No token: the pass ends with logits. */
    record None() implements TokenChoice {}

    /** No token and no logits: the pass ends before the output matrix. */
    record States() implements TokenChoice {}

    /** The token with the largest logit; the last where several have it. */
    record Largest() implements TokenChoice {}

    /**
     * A token by chance, among the most likely: first {@code topK} of them, then those that have the share {@code topP} of
     * their probability together, then those that are at least {@code minP} as likely as the most likely one. A random
     * number, which the caller writes for each output, decides among them at the given temperature.
     *
     * @param temperature at least {@link #LOWEST_TEMPERATURE}
     * @param topK from 1 to {@link #MOST_CANDIDATES}
     * @param topP above 0; 1 for all
     * @param minP from 0, for all, to 1
     */
    record Drawn(float temperature, int topK, float topP, float minP) implements TokenChoice {

        /** So many candidates at most; more are better sorted by the host. */
        public static final int MOST_CANDIDATES = 1024;

        /** Logits divided by less may be too large for f32. */
        public static final float LOWEST_TEMPERATURE = 0x1p-10f;

        /**
         * @throws InvalidGraphException if one of them is out of range
         */
        public Drawn {
            boolean isRight = temperature >= LOWEST_TEMPERATURE
                    && temperature < Float.POSITIVE_INFINITY
                    && topK >= 1
                    && topK <= MOST_CANDIDATES
                    && topP > 0
                    && topP <= 1
                    && minP >= 0
                    && minP <= 1;
            if (!isRight) {
                throw new InvalidGraphException("no token is drawn with temperature " + temperature + ", top-k " + topK
                        + ", top-p " + topP + " and min-p " + minP);
            }
        }

        /**
         * The token that is drawn for each row of logits, i32, as ops of a graph.
         *
         * @param logits {@code [vocabulary, rows]}
         * @param random a number for each row, {@code [1, rows]}: from 0, and at most 1 - 2^-23
         */
        public Tensor tokens(GraphBuilder b, Tensor logits, Tensor random) {
            return DrawnTokens.of(b, this, logits, random);
        }

        /** Whether a device computes such a choice out of logits by itself, for some rows of that many. */
        public boolean runsOn(Device device, int vocabulary, int rows) {
            GraphBuilder b = new GraphBuilder();
            Tensor logits = b.input("logits", ElementType.F32, vocabulary, rows);
            Tensor random = b.input("random", ElementType.F32, 1, rows);
            Graph graph = b.build(tokens(b, logits, random));
            for (int node = 0; node < graph.nodeCount(); node++) {
                if (!device.supports(graph.node(node)).isSupported()) {
                    return false;
                }
            }
            return true;
        }
    }
}
