package dev.stowage.testkit.plan;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * A random graph that can be computed, the same for the same seed: matrices of one shape go through ops that work in
 * place, through views, into caches and parts of other tensors and back, and some of them are outputs. No op makes
 * anything but finite numbers of finite ones.
 */
final class RandomComputation implements AutoCloseable {

    private static final UnaryFunction[] FUNCTIONS = {UnaryFunction.SILU, UnaryFunction.TANH, UnaryFunction.NEG};
    private static final GluFunction[] GATES = {GluFunction.SWIGLU, GluFunction.GEGLU, GluFunction.REGLU};

    private final Random random;
    private final long seed;
    private final int width;
    private final int rows;
    private final GraphBuilder ops = new GraphBuilder();
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<Tensor> made = new ArrayList<>();
    private final List<Tensor> matrices = new ArrayList<>();
    private final Tensor weight;
    private final Tensor cache;
    private final Tensor rowNumbers;
    private final Tensor positions;
    private final Graph graph;
    private final Buffer own;

    RandomComputation(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.width = random.nextBoolean() ? 4 : 8;
        this.rows = 1 + random.nextInt(4);
        this.weight = ops.weight("weight", ElementType.F32, width, width);
        this.cache = ops.weight("cache", ElementType.F32, width, 2L * rows);
        this.rowNumbers = input(ops.input("rows", ElementType.I64, rows));
        this.positions = input(ops.input("positions", ElementType.I32, rows));
        for (int i = 0; i <= random.nextInt(3); i++) {
            matrices.add(input(ops.tensor(ElementType.F32, width, rows).named("x" + i)));
        }
        int count = 5 + random.nextInt(30);
        for (int i = 0; i < count; i++) {
            addMatrix();
        }
        for (int i = 0; i <= random.nextInt(3); i++) {
            markOutput();
        }
        this.graph = Graph.of(made);
        this.own = Allocations.allocateAll(List.of(weight, cache), HostBufferType.standard());
    }

    /** The graph, with the nodes in the order they were made. */
    Graph graph() {
        return graph;
    }

    private Tensor input(Tensor tensor) {
        inputs.add(tensor);
        return tensor;
    }

    private Tensor step(Tensor node) {
        made.add(node);
        return node;
    }

    private Tensor any() {
        int back = Math.min(matrices.size(), random.nextInt(3) == 0 ? matrices.size() : 4);
        return matrices.get(matrices.size() - 1 - random.nextInt(back));
    }

    private void markOutput() {
        Tensor last = any();
        (last.isView() || !made.contains(last) ? step(ops.cont(last)) : last).asOutput();
    }

    private void addMatrix() {
        Tensor a = any();
        Tensor b = any();
        Tensor result = switch (random.nextInt(24)) {
            case 0, 1 -> ops.add(a, b);
            case 2 -> ops.mul(a, b);
            case 3 -> ops.sub(a, b);
            case 4 -> ops.scaleBias(a, 0.5f, 0.25f);
            case 5 -> ops.unary(a, FUNCTIONS[random.nextInt(FUNCTIONS.length)]);
            case 6 -> ops.rmsNorm(a, 0.1f);
            case 7 -> ops.norm(a, 0.1f);
            case 8 -> ops.l2Norm(a, 0.1f);
            case 9 -> ops.softMax(a);
            case 10, 11 -> ops.gluSplit(a, b, GATES[random.nextInt(GATES.length)]);
            case 12 -> ops.mulMat(weight, a);
            case 13 -> throughAnotherShape(a);
            case 14 -> transposedAndBack(a);
            case 15 -> throughTheCache(a, b);
            case 16 -> throughRowsOfTheCache(a);
            case 17 -> random.nextBoolean() ? ops.sin(a) : ops.leakyRelu(a, 0.1f);
            case 18 -> ops.scale(step(ops.cumsum(a)), 0.1f);
            case 19 -> withAPartReplaced(a, b);
            case 20 -> partOfBoth(a, b);
            case 21 -> turned(a);
            case 22 -> overwritten(a, b);
            default -> ops.dup(a);
        };
        matrices.add(step(result));
    }

    private Tensor throughAnotherShape(Tensor a) {
        Tensor narrow = step(ops.reshape(contiguous(a), width / 2, 2L * rows));
        return ops.reshape(step(ops.norm(narrow, 0.1f)), width, rows);
    }

    private Tensor contiguous(Tensor a) {
        return a.layout().isContiguous() ? a : step(ops.cont(a));
    }

    private Tensor transposedAndBack(Tensor a) {
        Tensor turned = step(ops.cont(step(ops.transpose(a))));
        Tensor changed = step(ops.cos(turned));
        return ops.cont(step(ops.transpose(changed)));
    }

    /** Writes to one half of the cache and reads all or the other half of it, through no edge of the graph. */
    private Tensor throughTheCache(Tensor a, Tensor b) {
        long half = cache.byteSize() / 2;
        Tensor target = step(ops.view2d(cache, width, rows, cache.stride(1), random.nextBoolean() ? half : 0));
        step(ops.cpy(a, target));
        Tensor read = step(ops.view2d(cache, width, rows, cache.stride(1), random.nextBoolean() ? half : 0));
        return ops.add(b, read);
    }

    private Tensor throughRowsOfTheCache(Tensor a) {
        step(ops.setRows(cache, contiguous(a), rowNumbers));
        return ops.scale(step(ops.view2d(cache, width, rows, cache.stride(1), 0)), 0.5f);
    }

    private Tensor withAPartReplaced(Tensor a, Tensor b) {
        Tensor row = step(ops.view1d(contiguous(b), width, 0));
        Tensor whole = contiguous(a);
        long offset = whole.stride(1) * random.nextInt(rows);
        return random.nextBoolean()
                ? ops.set2d(whole, row, whole.stride(1), offset)
                : ops.acc(whole, row, whole.stride(1), whole.stride(2), whole.stride(3), offset);
    }

    private Tensor partOfBoth(Tensor a, Tensor b) {
        Tensor both = step(ops.concat(a, b, 1));
        return ops.view2d(both, width, rows, both.stride(1), both.stride(1) * random.nextInt(rows + 1));
    }

    private Tensor turned(Tensor a) {
        Tensor heads = step(ops.reshape(contiguous(a), width / 2, 2, rows));
        Tensor turned = step(ops.rope(heads, positions, OpParameters.Rope.of(width / 2, RopeMode.NEOX)));
        return ops.reshape(turned, width, rows);
    }

    /** Writes over a tensor that others may read before and after; what is fixed or an input is left as it is. */
    private Tensor overwritten(Tensor a, Tensor b) {
        Tensor own = step(ops.dup(a));
        matrices.add(own);
        return ops.addInplace(own, b);
    }

    /** Writes what is there before the first node; every time the same. */
    void writeInputs(Function<Tensor, BoundTensor> places) {
        Random numbers = new Random(~seed);
        for (Tensor tensor : List.of(weight, cache)) {
            float[] values = floats(tensor, numbers);
            if (graph.contains(tensor)) {
                TensorData.setFloats(places.apply(tensor), values);
            }
        }
        for (Tensor tensor : inputs) {
            if (!graph.contains(tensor)) {
                continue;
            }
            if (tensor.type() == ElementType.F32) {
                TensorData.setFloats(places.apply(tensor), floats(tensor, numbers));
            } else if (tensor.type() == ElementType.I64) {
                // Rows of a cache twice as long, each written once.
                long[] targets = new long[rows];
                Arrays.setAll(targets, i -> 2L * rows - 1 - 2L * i);
                TensorData.setLongs(places.apply(tensor), targets);
            } else {
                TensorData.setInts(
                        places.apply(tensor), numbers.ints(rows, 0, 100).toArray());
            }
        }
    }

    @Override
    public void close() {
        own.close();
    }

    private static float[] floats(Tensor tensor, Random numbers) {
        float[] values = new float[(int) tensor.shape().elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = numbers.nextFloat() * 2 - 1;
        }
        return values;
    }
}
