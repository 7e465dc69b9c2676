package dev.stowage.rpc.replay;

import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;

/**
 * How far the numbers of a conversation may be from those recorded, as a normalised mean squared error. What a graph
 * computes and then rounds to a few bits, as it does for a quantised cache, may fall to the next value there; so it
 * depends on the types that graphs of the conversation write.
 */
final class Tolerance {

    /** What ggml's own tests of backends allow to a matrix product. */
    private static final double OF_PRODUCTS = 5e-4;

    private double most = OF_PRODUCTS;

    double most() {
        return most;
    }

    /** Takes note of a graph that the client sends. */
    void note(GraphMessage graph, Dialect dialect) {
        for (int i = 0; i < graph.tensorCount(); i++) {
            WireTensor tensor = graph.tensor(i);
            Op op = dialect.op(tensor.op());
            if (op == Op.SET_ROWS || op == Op.CPY) {
                most = Math.max(most, ofStep(tensor.type()));
            }
        }
    }

    /** The square of one step, as a share of the range of the values. */
    private static double ofStep(int type) {
        int bits = switch (ElementType.ofCode(type)) {
            case Q4_0, Q4_1, IQ4_NL -> 4;
            case Q5_0, Q5_1 -> 5;
            default -> 8;
        };
        return Math.pow(2, -2 * bits);
    }
}
