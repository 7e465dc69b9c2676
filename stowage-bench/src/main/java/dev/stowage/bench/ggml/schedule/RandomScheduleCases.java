package dev.stowage.bench.ggml.schedule;

import dev.stowage.bench.ggml.schedule.LiveScheduleCase.Place;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Random questions for schedulers, the same for the same seed: a graph, up to five devices that share memory, read each
 * other's, lack ops, want ops, have async copies and events or not; weights and caches anywhere; assignments of the
 * caller's; pipelines; offloading.
 */
final class RandomScheduleCases {

    private static final int MOST_DEVICES = 4;
    private static final int MOST_OPS = 9;

    private final SplittableRandom random;
    private final List<Op> ops;

    /** Whether every device reads its own memory only, and nothing is written into other tensors. */
    private final boolean isPlain;

    private final List<MeasuringBufferType> types = new ArrayList<>();

    private RandomScheduleCases(long seed, Predicate<Op> allowed) {
        this.random = new SplittableRandom(seed);
        this.ops = palette(allowed);
        this.isPlain = random.nextBoolean();
    }

    /** The question with that seed, about graphs of the ops that are allowed. */
    static LiveScheduleCase of(long seed, Predicate<Op> allowed) {
        return new RandomScheduleCases(seed, allowed).draw(seed);
    }

    /** Few ops, so that a device that lacks one matters; those with rules of their own are always among them. */
    private List<Op> palette(Predicate<Op> allowed) {
        List<Op> possible = new ArrayList<>();
        for (Op op : Op.values()) {
            // Weights of experts are copied by what is in them, and there is nothing in this memory.
            if (op != Op.NONE && op != Op.MUL_MAT_ID && !op.isViewOp() && allowed.test(op)) {
                possible.add(op);
            }
        }
        List<Op> chosen = new ArrayList<>(List.of(Op.MUL_MAT, Op.ADD, Op.ROPE, Op.FLASH_ATTN_EXT));
        chosen.removeIf(op -> !possible.contains(op));
        while (chosen.size() < MOST_OPS) {
            chosen.add(possible.get(random.nextInt(possible.size())));
        }
        return chosen;
    }

    private LiveScheduleCase draw(long seed) {
        RandomScheduleGraph made = new RandomScheduleGraph(random.split(), ops, isPlain);
        Graph graph = made.graph();
        List<NoOpRules> devices = devices();
        Map<Tensor, Place> places = places(made, graph);
        return new LiveScheduleCase(
                (isPlain ? "plain seed " : "seed ") + seed,
                graph,
                devices,
                places,
                assignments(graph, places, devices.size()),
                random.nextInt(3) == 0,
                random.nextBoolean());
    }

    private List<NoOpRules> devices() {
        int count = random.nextInt(1, MOST_DEVICES + 1);
        List<MeasuringBufferType> own = new ArrayList<>();
        for (int i = 0; i <= count; i++) {
            own.add(i > 0 && random.nextInt(5) == 0 ? own.get(random.nextInt(i)) : newType(i, i == count));
        }
        List<NoOpRules> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            devices.add(new NoOpRules(
                    "dev" + i,
                    random.nextInt(4) == 0 ? DeviceType.ACCELERATOR : DeviceType.GPU,
                    own.get(i),
                    random.nextInt(3) == 0 ? EnumSet.allOf(Op.class) : someOps(random.nextInt(2, 8)),
                    random.nextBoolean() ? someOps(5) : Set.of(),
                    readable(own.get(i), 6),
                    random.nextBoolean(),
                    random.nextBoolean()));
        }
        devices.add(new NoOpRules(
                "cpu",
                DeviceType.CPU,
                own.get(count),
                EnumSet.allOf(Op.class),
                Set.of(),
                readable(own.get(count), 4),
                random.nextInt(6) == 0,
                random.nextInt(6) == 0));
        return devices;
    }

    private MeasuringBufferType newType(int index, boolean isLast) {
        MeasuringBufferType type = MeasuringBufferType.of("memory" + index, 1L << random.nextInt(3, 9))
                .withHost(isLast ? random.nextInt(8) != 0 : random.nextInt(5) == 0);
        if (random.nextInt(4) == 0) {
            type = type.withMaxBufferSize(random.nextLong(4096, 1 << 15));
        }
        types.add(type);
        return type;
    }

    private Set<String> readable(MeasuringBufferType own, int odds) {
        Set<String> readable = new HashSet<>(Set.of(own.name()));
        for (MeasuringBufferType type : types) {
            if (random.nextInt(odds) == 0 && !isPlain) {
                readable.add(type.name());
            }
        }
        return readable;
    }

    /** Every op with odds of so many in ten. */
    private Set<Op> someOps(int inTen) {
        Set<Op> some = EnumSet.noneOf(Op.class);
        for (Op op : Op.values()) {
            if (random.nextInt(10) < inTen || (op.isViewOp() && random.nextInt(40) != 0)) {
                some.add(op);
            }
        }
        return some;
    }

    private Map<Tensor, Place> places(RandomScheduleGraph made, Graph graph) {
        Map<Tensor, Place> places = new HashMap<>();
        for (Tensor weight : made.weights()) {
            places.put(weight, new Place(oneType(), random.nextInt(4) == 0 ? BufferUsage.ANY : BufferUsage.WEIGHTS));
        }
        for (int id = 0; id < graph.size(); id++) {
            Tensor tensor = graph.tensor(id);
            if (random.nextInt(graph.isLeaf(id) ? 20 : 400) == 0 && !tensor.isView() && !places.containsKey(tensor)) {
                places.put(tensor, new Place(oneType(), BufferUsage.ANY));
            }
        }
        return places;
    }

    private String oneType() {
        return types.get(random.nextInt(types.size())).name();
    }

    /** In plain cases only of tensors that the scheduler finds memory for, so that they are placed where they are assigned. */
    private Map<Tensor, Integer> assignments(Graph graph, Map<Tensor, Place> places, int devices) {
        Map<Tensor, Integer> assignments = new HashMap<>();
        for (int i = random.nextInt(3) == 0 ? random.nextInt(6) : 0; i > 0; i--) {
            Tensor tensor = graph.tensor(random.nextInt(graph.size()));
            if (!isPlain || (!tensor.isView() && !places.containsKey(tensor))) {
                assignments.put(tensor, random.nextInt(devices));
            }
        }
        return assignments;
    }
}
