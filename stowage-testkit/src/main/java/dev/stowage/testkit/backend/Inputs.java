package dev.stowage.testkit.backend;

import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.ElementCodec;
import dev.stowage.testkit.op.Fill;
import java.util.SplittableRandom;

/** Gives the leaves of a graph numbers, the same ones each time, by their place among the leaves. */
final class Inputs {

    private Inputs() {}

    /** Small numbers for floats, and 0, 1, 2 and so on for whole numbers, which are row numbers and positions. */
    static void fill(BoundGraph bound) {
        Graph graph = bound.graph();
        for (int i = 0; i < graph.leafCount(); i++) {
            Tensor leaf = graph.leaf(i);
            Bytes.write(bound.tensor(leaf), ElementCodec.encode(leaf.type(), leaf.dim(0), values(leaf, i)));
        }
    }

    private static double[] values(Tensor leaf, int seed) {
        Shape shape = leaf.shape();
        if (leaf.type() == ElementType.I32) {
            double[] counted = new double[Math.toIntExact(shape.elements())];
            for (int i = 0; i < counted.length; i++) {
                counted[i] = i;
            }
            return counted;
        }
        return leaf.name().equals("mask")
                ? Fill.causal(0).values(shape, new SplittableRandom(seed))
                : Fill.gaussian(0.25).values(shape, new SplittableRandom(seed));
    }
}
