package dev.stowage.testkit.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import dev.stowage.schedule.cost.WorkKind;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.Costs;
import dev.stowage.testkit.simulated.SimulatedClock;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A random computation on random simulated devices, the same for the same seed: up to three accelerators and a
 * processor of random speed, with random links, abilities and memory, weights that are placed in the order of the
 * layers or anywhere, and the costs of all that as a {@link CostModel}.
 */
final class CostScenario implements AutoCloseable {

    private static final Set<Op> SELDOM_THERE = EnumSet.of(Op.SOFT_MAX, Op.GLU, Op.RMS_NORM, Op.UNARY, Op.MUL);

    private final Random random;
    private final SimulatedClock clock = new SimulatedClock();
    private final CostComputation computation;
    private final CostModel model;
    private final List<SimulatedDevice> devices = new ArrayList<>();
    private final List<Backend> backends = new ArrayList<>();
    private final List<Buffer> buffers = new ArrayList<>();
    private final ScheduleOptions options;
    private final double latency;
    private final boolean directCopies;

    CostScenario(long seed) {
        this(seed, true);
    }

    /** The same, where wanted with all the memory one can wish for. */
    CostScenario(long seed, boolean mayLackMemory) {
        this.random = new Random(seed);
        this.computation = new CostComputation(random);
        this.latency = Math.rint(spread(20, 20_000));
        this.directCopies = random.nextBoolean();
        int accelerators = 1 + random.nextInt(3);
        CostModel.Builder costs = CostModel.builder();
        double[] links = new double[accelerators];
        for (int device = 0; device <= accelerators; device++) {
            addRates(costs, name(device, accelerators), device == accelerators ? 1 : spread(1, 50));
        }
        for (int device = 0; device < accelerators; device++) {
            links[device] = spread(1e8, 2e10);
            costs.link(name(device, accelerators), "cpu", new LinkRate(latency, links[device]));
        }
        addDirectLinks(costs, links);
        this.model = costs.build();
        List<SimulatedDeviceBuilder> made = new ArrayList<>();
        for (int device = 0; device < accelerators; device++) {
            made.add(accelerator("gpu" + device, links[device]));
        }
        made.add(processor());
        boolean pipelined = random.nextInt(4) == 0;
        ScheduleOptions chosen = ScheduleOptions.defaults().withOffloadedOps(random.nextInt(3) == 0);
        this.options = pipelined ? chosen.withPipeline(2 + random.nextInt(3)) : chosen;
        int[] places = places(made.size());
        build(made);
        placeWeights(places);
        if (random.nextBoolean() && mayLackMemory) {
            limitMemory(made);
            placeWeights(places);
        }
        for (Device device : devices) {
            backends.add(device.open());
        }
    }

    private void build(List<SimulatedDeviceBuilder> made) {
        devices.clear();
        made.forEach(builder -> devices.add(builder.build()));
    }

    /** Makes the devices anew with room for what is stored there, for what ggml needs, and for some of the weights. */
    private void limitMemory(List<SimulatedDeviceBuilder> made) {
        Schedule ggml = schedule(options);
        for (int device = 0; device < made.size(); device++) {
            long free = ggml.computeSize(device) + (long) (computation.weightBytes() * spread(0.02, 2));
            made.get(device).memoryLimit(devices.get(device).openBytes() + free);
        }
        buffers.forEach(Buffer::close);
        buffers.clear();
        build(made);
    }

    private static String name(int device, int accelerators) {
        return device == accelerators ? "cpu" : "gpu" + device;
    }

    /** A number between two, as likely in every order of magnitude. */
    private double spread(double least, double most) {
        return least * Math.pow(most / least, random.nextDouble());
    }

    private void addRates(CostModel.Builder costs, String name, double speed) {
        double fixed = spread(20, 1000);
        costs.device(name, OpRate.of(speed * 1e9, speed * 2e9).withNanosPerNode(fixed));
        for (WorkKind kind : WorkKind.values()) {
            if (random.nextInt(3) == 0) {
                double own = speed * spread(0.2, 3);
                costs.device(name, kind, OpRate.of(own * 1e9, own * 2e9).withNanosPerNode(fixed));
            }
        }
    }

    private void addDirectLinks(CostModel.Builder costs, double[] links) {
        for (int one = 0; one < links.length; one++) {
            for (int other = one + 1; other < links.length; other++) {
                if (directCopies) {
                    costs.link("gpu" + one, "gpu" + other, new LinkRate(latency, Math.min(links[one], links[other])));
                }
            }
        }
    }

    private SimulatedDeviceBuilder accelerator(String name, double link) {
        SimulatedDeviceBuilder made = SimulatedDevice.named(name)
                .clock(clock)
                .async(random.nextInt(5) > 0)
                .events(random.nextBoolean())
                .directCopies(directCopies)
                .costs(Costs.free().withLink((long) latency, link).withCompute(node -> model.nanos(name, node)));
        if (random.nextInt(4) == 0) {
            Set<Op> missing = EnumSet.noneOf(Op.class);
            for (Op op : SELDOM_THERE) {
                if (random.nextInt(3) == 0) {
                    missing.add(op);
                }
            }
            made.supporting(
                    EnumSet.complementOf(EnumSet.copyOf(missing.isEmpty() ? EnumSet.of(Op.SOFT_MAX) : missing)));
        }
        if (random.nextBoolean()) {
            made.offloading(EnumSet.of(Op.MUL_MAT));
        }
        return made;
    }

    private SimulatedDeviceBuilder processor() {
        return SimulatedDevice.named("cpu")
                .type(DeviceType.CPU)
                .clock(clock)
                .hostMemory()
                .async(false)
                .events(false)
                .directCopies(false)
                .costs(Costs.free().withCompute(node -> model.nanos("cpu", node)));
    }

    /** By layer or by weight the number of the device it is stored on. */
    private int[] places(int count) {
        List<List<Tensor>> layers = computation.weightsByLayer();
        int[] places = new int[layers.size()];
        int way = random.nextInt(4);
        for (int layer = 0; layer < places.length; layer++) {
            places[layer] = switch (way) {
                case 0 -> layer * count / places.length;
                case 1 -> random.nextInt(count);
                case 2 -> count - 1;
                default -> layer < places.length / 2 ? 0 : count - 1;
            };
        }
        return places;
    }

    private void placeWeights(int[] places) {
        List<List<Tensor>> layers = computation.weightsByLayer();
        for (int layer = 0; layer < places.length; layer++) {
            SimulatedDevice device = devices.get(places[layer]);
            place(layers.get(layer), device, BufferUsage.WEIGHTS);
            place(computation.cacheOfLayer(layer), device, BufferUsage.ANY);
        }
    }

    private void place(List<Tensor> tensors, SimulatedDevice device, BufferUsage usage) {
        Buffer buffer = Allocations.allocateAll(tensors, device.bufferType()).setUsage(usage);
        buffers.add(buffer);
        for (Tensor tensor : tensors) {
            if (tensor.type() == ElementType.F32) {
                TensorData.setFloats(tensor, numbers((int) tensor.shape().elements()));
            }
        }
    }

    private float[] numbers(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    Graph graph() {
        return computation.graph();
    }

    DeviceSet deviceSet() {
        return DeviceSet.of(devices);
    }

    List<SimulatedDevice> devices() {
        return devices;
    }

    CostModel model() {
        return model;
    }

    ScheduleOptions options() {
        return options;
    }

    Schedule schedule(ScheduleOptions how) {
        return Schedule.of(ScheduleRequest.of(graph(), deviceSet(), how));
    }

    /** What a run takes by the clock of the devices; with a pipeline, a share of as many as can be in flight. */
    long measure(ScheduleOptions how) {
        try (Scheduler scheduler = Scheduler.over(backends, how)) {
            BoundSchedule bound = scheduler.bind(graph());
            computation.writeInputs(bound::tensor);
            long before = clock.nanos();
            bound.runAsync();
            for (int run = 1; run < how.copies(); run++) {
                // Inputs are stored on the processor, where writing them takes no time.
                bound.advance();
                computation.writeInputs(bound::tensor);
                bound.runAsync();
            }
            scheduler.synchronize();
            return (clock.nanos() - before) / how.copies();
        }
    }

    /** The numbers that a run gives. */
    float[] results(ScheduleOptions how) {
        try (Scheduler scheduler = Scheduler.over(backends, how)) {
            BoundSchedule bound = scheduler.bind(graph());
            computation.writeInputs(bound::tensor);
            bound.run();
            return TensorData.getFloats(bound.tensor(computation.output()));
        }
    }

    @Override
    public void close() {
        backends.forEach(Backend::close);
        buffers.forEach(Buffer::close);
    }
}
