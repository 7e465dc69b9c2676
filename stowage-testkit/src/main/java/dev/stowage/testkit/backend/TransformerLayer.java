package dev.stowage.testkit.backend;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;

/** One layer of a small language model: rows picked, norms, rotary positions, masked attention, and a gated network. */
final class TransformerLayer {

    private static final int WIDTH = 256;
    private static final int HEADS = 4;
    private static final int SHARED = 2;
    private static final int SIZE = WIDTH / HEADS;
    private static final int TOKENS = 7;

    private final GraphBuilder b = new GraphBuilder();
    private final ElementType weights;
    private final Tensor output;
    private final Graph graph;

    TransformerLayer(ElementType weights) {
        this.weights = weights;
        Tensor tokens = b.input("tokens", ElementType.I32, TOKENS);
        Tensor embedded = b.getRows(matrix("embedding", WIDTH, 2 * TOKENS), tokens);
        Tensor attended = b.add(attention(norm("attention norm", embedded)), embedded);
        this.output = b.add(feedForward(norm("feed-forward norm", attended)), attended)
                .named("output")
                .asOutput();
        this.graph = b.build(output);
    }

    private Tensor matrix(String name, int in, int out) {
        return b.input(name, weights, in, out);
    }

    private Tensor norm(String name, Tensor x) {
        return b.mul(b.rmsNorm(x, 1e-5f), b.input(name, ElementType.F32, WIDTH));
    }

    private Tensor attention(Tensor x) {
        Tensor positions = b.input("positions", ElementType.I32, TOKENS);
        Tensor q = turned(projected("q", x, HEADS), positions);
        Tensor k = turned(projected("k", x, SHARED), positions);
        Tensor v = b.cont(b.permute(projected("v", x, SHARED), 1, 2, 0, 3));
        Tensor scores = b.mulMat(b.permute(k, 0, 2, 1, 3), b.permute(q, 0, 2, 1, 3));
        Tensor mask = b.input("mask", ElementType.F32, TOKENS, TOKENS);
        Tensor weighted = b.mulMat(v, b.softMax(scores, mask, 1f / (float) Math.sqrt(SIZE), 0f));
        Tensor merged = b.cont(b.permute(weighted, 0, 2, 1, 3), WIDTH, TOKENS);
        return b.mulMat(matrix("attention output", WIDTH, WIDTH), merged);
    }

    private Tensor projected(String name, Tensor x, int heads) {
        return b.reshape(b.mulMat(matrix(name, WIDTH, SIZE * heads), x), SIZE, heads, TOKENS);
    }

    private Tensor turned(Tensor x, Tensor positions) {
        return b.rope(x, positions, OpParameters.Rope.of(SIZE, RopeMode.NEOX));
    }

    private Tensor feedForward(Tensor x) {
        Tensor gate = b.mulMat(matrix("gate", WIDTH, 2 * WIDTH), x);
        Tensor up = b.mulMat(matrix("up", WIDTH, 2 * WIDTH), x);
        return b.mulMat(matrix("down", 2 * WIDTH, WIDTH), b.swiglu(gate, up));
    }

    Graph graph() {
        return graph;
    }

    Tensor output() {
        return output;
    }

    /** What the errors of several products in a row may add up to. */
    double maxError() {
        return weights == ElementType.F32 ? 1e-6 : weights == ElementType.F16 ? 5e-4 : 5e-3;
    }
}
