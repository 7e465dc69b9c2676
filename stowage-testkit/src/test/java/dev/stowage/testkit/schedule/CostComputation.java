package dev.stowage.testkit.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * A small random computation with the habits of a language model: layers with weights of their own and a cache that is
 * written and read, some with a branch that another could compute at the same time.
 */
final class CostComputation {

    private final Random random;
    private final GraphBuilder ops = new GraphBuilder();
    private final List<List<Tensor>> weights = new ArrayList<>();
    private final List<List<Tensor>> caches = new ArrayList<>();
    private final int width;
    private final int tokens;
    private final Tensor x;
    private final Tensor rows;
    private final Tensor mask;
    private final Tensor output;
    private final Graph graph;

    CostComputation(Random random) {
        this.random = random;
        this.width = 8 << random.nextInt(3);
        this.tokens = 1 << random.nextInt(6);
        this.x = ops.input("x", ElementType.F32, width, tokens);
        this.rows = ops.input("rows", ElementType.I64, tokens);
        this.mask = ops.input("mask", ElementType.F32, 2L * tokens, tokens);
        List<Tensor> steps = new ArrayList<>();
        Tensor state = x;
        int layers = 1 + random.nextInt(5);
        for (int layer = 0; layer < layers; layer++) {
            state = layer(state, layer, steps);
        }
        this.output = ops.softMax(state).asOutput();
        steps.add(output);
        this.graph = Graph.of(steps);
    }

    private Tensor layer(Tensor in, int layer, List<Tensor> steps) {
        List<Tensor> own = new ArrayList<>();
        weights.add(own);
        caches.add(new ArrayList<>());
        Tensor normed = ops.mul(ops.rmsNorm(in, 0.1f), weight(own, layer, "norm", width));
        Tensor state = random.nextInt(3) > 0 ? ops.add(in, attention(normed, layer, own, steps)) : in;
        Tensor up = ops.mulMat(weight(own, layer, "up", width, 2L * width), normed);
        Tensor gate = ops.mulMat(weight(own, layer, "gate", width, 2L * width), normed);
        Tensor joined = ops.gluSplit(gate, up, GluFunction.SWIGLU);
        Tensor down = ops.mulMat(weight(own, layer, "down", 2L * width, width), joined);
        if (random.nextBoolean()) {
            Tensor branch = in;
            for (int step = 0; step <= random.nextInt(4); step++) {
                branch = ops.silu(ops.mulMat(weight(own, layer, "branch" + step, width, width), branch));
            }
            down = ops.add(down, branch);
        }
        return ops.add(state, down);
    }

    private Tensor attention(Tensor in, int layer, List<Tensor> own, List<Tensor> steps) {
        Tensor keys = ops.weight("keys" + layer, ElementType.F32, width, 2L * tokens);
        caches.get(layer).add(keys);
        Tensor query = ops.mulMat(weight(own, layer, "query", width, width), in);
        Tensor key = ops.mulMat(weight(own, layer, "key", width, width), in);
        steps.add(ops.setRows(keys, key, rows));
        Tensor kept = ops.view2d(keys, width, 2L * tokens, keys.stride(1), 0);
        Tensor scores = ops.softMax(ops.mulMat(kept, query), mask, 0.5f, 0);
        return ops.mulMat(ops.cont(ops.transpose(kept)), scores);
    }

    private Tensor weight(List<Tensor> own, int layer, String name, long... dimensions) {
        Tensor weight = ops.weight(name + layer, ElementType.F32, dimensions);
        own.add(weight);
        return weight;
    }

    Graph graph() {
        return graph;
    }

    Tensor output() {
        return output;
    }

    List<List<Tensor>> weightsByLayer() {
        return weights;
    }

    long weightBytes() {
        return weights.stream()
                .flatMap(List::stream)
                .mapToLong(Tensor::byteSize)
                .sum();
    }

    List<Tensor> cacheOfLayer(int layer) {
        return caches.get(layer);
    }

    /** Writes what is there before the first node; every time the same. */
    void writeInputs(Function<Tensor, BoundTensor> places) {
        Random numbers = new Random(width);
        for (Tensor tensor : List.of(x, mask)) {
            if (graph.contains(tensor)) {
                float[] values = new float[(int) tensor.shape().elements()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = numbers.nextFloat();
                }
                TensorData.setFloats(places.apply(tensor), values);
            }
        }
        if (graph.contains(rows)) {
            long[] targets = new long[tokens];
            for (int token = 0; token < tokens; token++) {
                targets[token] = 2L * token + 1;
            }
            TensorData.setLongs(places.apply(rows), targets);
        }
    }
}
