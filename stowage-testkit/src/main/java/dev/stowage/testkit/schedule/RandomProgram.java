package dev.stowage.testkit.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A random graph that can be computed, the same for the same seed: matrices of one shape go through ops, through views,
 * into caches and back, and some end up as outputs. Weights and caches are for the caller to place, who then writes them
 * once with {@link #writeState}, and before every run the inputs with {@link #writeInputs}. A cache keeps what a run
 * leaves there for the next.
 */
public final class RandomProgram {

    private static final UnaryFunction[] FUNCTIONS = {UnaryFunction.SILU, UnaryFunction.TANH, UnaryFunction.NEG};
    private static final GluFunction[] GATES = {GluFunction.SWIGLU, GluFunction.GEGLU, GluFunction.REGLU};
    private static final int EXPERTS = 5;

    private final long seed;
    private final Random random;
    private final Set<Feature> features;
    private final int width;
    private final int rows;
    private final int chosenExperts;
    private final GraphBuilder ops = new GraphBuilder();
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Tensor> caches = new ArrayList<>();
    private final List<Tensor> experts = new ArrayList<>();
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<Tensor> plainLeaves = new ArrayList<>();
    private final List<Tensor> made = new ArrayList<>();
    private final List<Tensor> matrices = new ArrayList<>();
    private final List<Tensor> outputs = new ArrayList<>();
    private final Tensor rowNumbers;
    private final Tensor positions;
    private final Tensor choice;
    private final Graph graph;

    private RandomProgram(long seed, Set<Feature> features, int nodes) {
        this.seed = seed;
        this.random = new Random(seed);
        this.features = features;
        this.width = random.nextBoolean() ? 4 : 8;
        this.rows = 1 + random.nextInt(4);
        this.chosenExperts = 1 + random.nextInt(2);
        this.rowNumbers = input(ops.input("rows", ElementType.I64, rows));
        this.positions = input(ops.input("positions", ElementType.I32, rows));
        this.choice = input(ops.input("choice", ElementType.I32, chosenExperts, rows));
        makeLeaves();
        for (int i = 0; i < nodes; i++) {
            Tensor next = addMatrix();
            matrices.add(step(next));
        }
        for (int i = 0; i <= random.nextInt(3); i++) {
            outputs.add(step(ops.cont(i == 0 ? matrices.getLast() : any()))
                    .named("out" + i)
                    .asOutput());
        }
        this.graph = Graph.of(made);
    }

    /** The program of a seed, with so many matrices computed and at least as many nodes. */
    public static RandomProgram of(long seed, Set<Feature> features, int nodes) {
        return new RandomProgram(seed, features.isEmpty() ? Feature.none() : EnumSet.copyOf(features), nodes);
    }

    private void makeLeaves() {
        for (int i = 0; i <= random.nextInt(4); i++) {
            weights.add(ops.weight("w" + i, random.nextInt(3) == 0 ? ElementType.F16 : ElementType.F32, width, width));
        }
        for (int i = 0; i <= random.nextInt(2); i++) {
            caches.add(ops.weight("cache" + i, ElementType.F32, width, 2L * rows));
        }
        for (int i = 0; i <= random.nextInt(3); i++) {
            matrices.add(input(ops.input("x" + i, ElementType.F32, width, rows)));
        }
        if (features.contains(Feature.EXPERTS)) {
            experts.add(ops.weight("experts", ElementType.F32, width, width, EXPERTS));
        }
        if (features.contains(Feature.PLAIN_LEAVES)) {
            plainLeaves.add(ops.tensor(ElementType.F32, width, 2L * rows).named("plain"));
            matrices.add(ops.tensor(ElementType.F32, width, rows).named("bare"));
            plainLeaves.add(matrices.getLast());
        }
    }

    private Tensor input(Tensor tensor) {
        inputs.add(tensor);
        return tensor;
    }

    private Tensor step(Tensor node) {
        if (node.name().isEmpty()) {
            node.named("n" + made.size());
        }
        made.add(node);
        return node;
    }

    private Tensor any() {
        int back = Math.min(matrices.size(), random.nextInt(3) == 0 ? matrices.size() : 4);
        return matrices.get(matrices.size() - 1 - random.nextInt(back));
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private Tensor addMatrix() {
        Tensor a = any();
        Tensor b = any();
        return switch (random.nextInt(28)) {
            case 0, 1 -> ops.add(a, b);
            case 2 -> ops.mul(a, b);
            case 3 -> ops.sub(a, b);
            case 4 -> ops.scaleBias(a, 0.5f, 0.25f);
            case 5 -> ops.unary(a, FUNCTIONS[random.nextInt(FUNCTIONS.length)]);
            case 6 -> ops.rmsNorm(a, 0.1f);
            case 7 -> ops.norm(a, 0.1f);
            case 8 -> ops.softMax(contiguous(a));
            case 9 -> ops.gluSplit(a, b, GATES[random.nextInt(GATES.length)]);
            case 10, 11, 12, 13 -> ops.mulMat(any(weights), a);
            case 14 -> throughAnotherShape(a);
            case 15 -> transposedAndBack(a);
            case 16, 17 -> throughACache(any(caches), a, b);
            case 18 -> throughRowsOfACache(any(caches), a);
            case 19 -> ops.sin(a);
            case 20 -> withAPartReplaced(a, b);
            case 21 -> partOfBoth(a, b);
            case 22 -> turned(a);
            case 23 -> features.contains(Feature.EXPERTS) ? byExperts(a) : ops.add(a, a);
            case 24, 25 -> features.contains(Feature.WRITES_TO_RESULTS) ? overwritten(a, b) : ops.mul(b, a);
            case 26, 27 -> features.contains(Feature.PLAIN_LEAVES) ? throughAPlainLeaf(a, b) : ops.dup(a);
            default -> throw new AssertionError();
        };
    }

    private Tensor contiguous(Tensor a) {
        return a.layout().isContiguous() ? a : step(ops.cont(a));
    }

    private Tensor throughAnotherShape(Tensor a) {
        Tensor narrow = step(ops.reshape(contiguous(a), width / 2, 2L * rows));
        return ops.reshape(step(ops.norm(narrow, 0.1f)), width, rows);
    }

    private Tensor transposedAndBack(Tensor a) {
        Tensor turned = step(ops.cont(step(ops.transpose(a))));
        Tensor changed = step(ops.cos(turned));
        return ops.cont(step(ops.transpose(changed)));
    }

    private Tensor half(Tensor whole) {
        long offset = random.nextBoolean() ? whole.stride(1) * rows : 0;
        return step(ops.view2d(whole, width, rows, whole.stride(1), offset));
    }

    /** Writes to one half of a cache and reads the same or the other; the only tie between the two is their order. */
    private Tensor throughACache(Tensor cache, Tensor a, Tensor b) {
        Tensor early = half(cache);
        if (features.contains(Feature.REWRITES) && random.nextBoolean()) {
            matrices.add(step(ops.sub(b, early)));
        }
        step(ops.cpy(a, half(cache)));
        Tensor read = features.contains(Feature.REWRITES) ? early : half(cache);
        return ops.add(b, viewOfView(read));
    }

    private Tensor viewOfView(Tensor a) {
        return random.nextInt(3) == 0 ? step(ops.view2d(a, width, rows, a.stride(1), 0)) : a;
    }

    private Tensor throughRowsOfACache(Tensor cache, Tensor a) {
        Tensor whole = step(ops.setRows(cache, contiguous(a), rowNumbers));
        return ops.scale(half(random.nextBoolean() ? whole : cache), 0.5f);
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
        return viewOfView(
                step(ops.view2d(both, width, rows, both.stride(1), both.stride(1) * random.nextInt(rows + 1))));
    }

    private Tensor turned(Tensor a) {
        Tensor heads = step(ops.reshape(contiguous(a), width / 2, 2, rows));
        Tensor turned = step(ops.rope(heads, positions, OpParameters.Rope.of(width / 2, RopeMode.NEOX)));
        return ops.reshape(turned, width, rows);
    }

    private Tensor byExperts(Tensor a) {
        Tensor column = step(ops.reshape(contiguous(a), width, 1, rows));
        Tensor all = step(ops.mulMatId(any(experts), column, choice));
        return ops.view2d(all, width, rows, all.stride(2), all.stride(1) * random.nextInt(chosenExperts));
    }

    /** Works in the bytes of a result that, if that is wanted, others read before and after. */
    private Tensor overwritten(Tensor a, Tensor b) {
        Tensor own = step(ops.dup(a));
        if (features.contains(Feature.REWRITES)) {
            matrices.add(own);
        }
        return switch (random.nextInt(4)) {
            case 0 -> ops.addInplace(own, b);
            case 1 -> ops.scaleInplace(own, 0.5f);
            case 2 -> ops.cpy(b, step(ops.view2d(own, width, rows, own.stride(1), 0)));
            default ->
                ops.set2dInplace(
                        own,
                        step(ops.view1d(contiguous(b), width, 0)),
                        own.stride(1),
                        own.stride(1) * random.nextInt(rows));
        };
    }

    private Tensor throughAPlainLeaf(Tensor a, Tensor b) {
        Tensor leaf = plainLeaves.getFirst();
        Tensor early = half(leaf);
        if (!features.contains(Feature.WRITES_TO_PLAIN_LEAVES)) {
            return ops.add(b, viewOfView(early));
        }
        if (features.contains(Feature.REWRITES) && random.nextBoolean()) {
            matrices.add(step(ops.sub(b, early)));
        }
        step(ops.cpy(a, half(leaf)));
        return ops.add(b, viewOfView(features.contains(Feature.REWRITES) ? early : half(leaf)));
    }

    /** The graph, with the nodes in the order they were made. */
    public Graph graph() {
        return graph;
    }

    /** Another graph of the same tensors, as a caller makes one for every token. */
    public Graph graphAnew() {
        return Graph.of(made);
    }

    /** Leaves that are only read, to be placed in a buffer of weights. */
    public List<Tensor> weights() {
        return List.copyOf(weights);
    }

    /** Weights of experts, to be placed in a buffer of weights; none without the feature. */
    public List<Tensor> experts() {
        return List.copyOf(experts);
    }

    /** Leaves that nodes write to, to be placed. */
    public List<Tensor> caches() {
        return List.copyOf(caches);
    }

    /** All that is to be placed: weights, weights of experts, caches. */
    public List<Tensor> state() {
        List<Tensor> state = new ArrayList<>(weights);
        state.addAll(experts);
        state.addAll(caches);
        return state;
    }

    /** The outputs, none of them a view. */
    public List<Tensor> outputs() {
        return List.copyOf(outputs);
    }

    /** Writes weights and caches. */
    public void writeState() {
        Random numbers = new Random(~seed);
        weights.forEach(tensor -> writeFloats(BoundTensor.of(tensor), numbers));
        experts.forEach(tensor -> writeFloats(BoundTensor.of(tensor), numbers));
        caches.forEach(tensor -> writeFloats(BoundTensor.of(tensor), numbers));
    }

    /**
     * Writes the inputs of a run, and the leaves that count as such, where they are stored; other numbers for other runs.
     */
    public void writeInputs(long run, Function<Tensor, BoundTensor> places) {
        Random numbers = new Random(seed * 31 + run);
        writeIfUsed(choice, places, at -> TensorData.setInts(at, choice(numbers)));
        writeIfUsed(
                positions,
                places,
                at -> TensorData.setInts(at, new Random(run).ints(rows, 0, 100).toArray()));
        writeIfUsed(rowNumbers, places, at -> {
            long[] targets = new long[rows];
            Arrays.setAll(targets, i -> 2L * rows - 1 - 2L * i - Math.floorMod(run, 2L));
            TensorData.setLongs(at, targets);
        });
        Random floats = new Random(seed * 37 + run);
        for (Tensor input : inputs) {
            if (input.type() == ElementType.F32) {
                writeIfUsed(input, places, at -> writeFloats(at, floats));
            }
        }
        plainLeaves.forEach(leaf -> writeIfUsed(leaf, places, at -> writeFloats(at, floats)));
    }

    private int[] choice(Random numbers) {
        return numbers.ints((long) chosenExperts * rows, 0, EXPERTS).toArray();
    }

    private void writeIfUsed(Tensor tensor, Function<Tensor, BoundTensor> places, Consumer<BoundTensor> write) {
        if (graph.contains(tensor)) {
            write.accept(places.apply(tensor));
        }
    }

    private static void writeFloats(BoundTensor tensor, Random numbers) {
        float[] values = new float[(int) tensor.shape().elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = numbers.nextFloat() * 2 - 1;
        }
        TensorData.setFloats(tensor, values);
    }
}
