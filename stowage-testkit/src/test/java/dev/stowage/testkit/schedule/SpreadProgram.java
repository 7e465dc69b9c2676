package dev.stowage.testkit.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A random program on a scheduler over simulated devices, with its weights and caches on random ones. */
final class SpreadProgram implements AutoCloseable {

    private final RandomProgram program;
    private final List<SimulatedDevice> devices;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Backend> backends = new ArrayList<>();
    private final Scheduler scheduler;
    private final Map<Tensor, Integer> assigned = new HashMap<>();
    private Graph current;
    private @Nullable BoundSchedule bound;

    SpreadProgram(RandomProgram program, List<SimulatedDevice> devices, ScheduleOptions options, Random random) {
        this.program = program;
        this.devices = devices;
        this.current = program.graph();
        try {
            placeState(random);
            program.writeState();
            for (SimulatedDevice device : devices) {
                backends.add(keep(device.open()));
            }
            this.scheduler = keep(Scheduler.over(backends, options));
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private <T extends AutoCloseable> T keep(T opened) {
        open.add(opened);
        return opened;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    List<Backend> backends() {
        return backends;
    }

    private void placeState(Random random) {
        for (Tensor weight : program.weights()) {
            BufferType type = random.nextInt(3) == 0
                    ? HostBufferType.standard()
                    : devices.get(random.nextInt(devices.size())).bufferType();
            place(weight, type, BufferUsage.WEIGHTS);
        }
        for (Tensor experts : program.experts()) {
            BufferType type = random.nextInt(3) > 0
                    ? HostBufferType.standard()
                    : devices.get(random.nextInt(devices.size())).bufferType();
            place(experts, type, BufferUsage.WEIGHTS);
        }
        for (Tensor cache : program.caches()) {
            List<SimulatedDevice> able =
                    devices.stream().filter(device -> writes(device, cache)).toList();
            place(
                    cache,
                    able.get(random.nextInt(able.size())).bufferType(),
                    random.nextBoolean() ? BufferUsage.WEIGHTS : BufferUsage.ANY);
        }
    }

    private boolean writes(SimulatedDevice device, Tensor cache) {
        return program.graph().nodes().stream()
                .filter(node -> node.isView() && node.viewSource() == cache)
                .allMatch(node -> device.supports(node).isSupported());
    }

    private void place(Tensor tensor, BufferType type, BufferUsage usage) {
        keep(Allocations.allocateAll(List.of(tensor), type)).setUsage(usage);
    }

    /**
     * Has some nodes, and inputs, computed on random devices that can; nodes in other tensors' bytes stay where they
     * are.
     */
    void assignSome(Random random) {
        for (Tensor node : program.graph().nodes()) {
            int device = random.nextInt(devices.size());
            boolean assignable = !node.isView()
                    && !isWrittenInto(node)
                    && devices.get(device).supports(node).isSupported();
            if (random.nextInt(5) == 0 && assignable) {
                assigned.put(node, device);
            }
        }
        for (Tensor leaf : program.graph().leaves()) {
            if (leaf.isInput() && random.nextInt(5) == 0) {
                assigned.put(leaf, random.nextInt(devices.size()));
            }
        }
    }

    private boolean isWrittenInto(Tensor tensor) {
        return program.graph().nodes().stream()
                .anyMatch(node -> node.isView() && !node.op().isViewOp() && node.viewSource() == tensor);
    }

    /** Uses another graph of the same tensors from now on. */
    void renewGraph() {
        current = program.graphAnew();
    }

    /** Binds the graph the first time, the next one in its place, and moves on to the next slot with the same one. */
    private BoundSchedule bind() {
        BoundSchedule before = bound;
        ScheduleRequest request = scheduler.request(current).assign(assigned);
        BoundSchedule next = before;
        if (next == null) {
            next = scheduler.bind(request);
        } else if (next.graph() != current) {
            next = scheduler.rebind(next, request);
        } else {
            next.advance();
        }
        bound = next;
        return next;
    }

    private BoundSchedule bindAndWrite(int run) {
        BoundSchedule next = bind();
        program.writeInputs(run, next::tensor);
        return next;
    }

    private BoundSchedule bound() {
        return Objects.requireNonNull(bound);
    }

    /** What is bound. */
    Schedule schedule() {
        return bound().schedule();
    }

    /** Binds, writes, runs, waits and reads. */
    List<float[]> run(int run) {
        BoundSchedule next = bindAndWrite(run);
        next.run();
        return program.outputs().stream()
                .map(output -> TensorData.getFloats(next.tensor(output)))
                .toList();
    }

    /** Runs once to count the calls of a random device, binds and writes again, and has one of as many calls fail. */
    SimulatedDevice planFault(Random random) {
        SimulatedDevice struck = devices.get(random.nextInt(devices.size()));
        bindAndWrite(0);
        long before = struck.faults().calls();
        bound().run();
        long calls = struck.faults().calls() - before;
        if (calls == 0) {
            return planFault(random);
        }
        bindAndWrite(0);
        FaultKind[] kinds = FaultKind.values();
        struck.faults()
                .failAny(1 + random.nextLong(calls), kinds[random.nextInt(kinds.length)])
                .onHang(Thread.currentThread()::interrupt);
        return struck;
    }

    /** Runs what is bound and waits for it. */
    void runBound() {
        bound().run();
    }

    /** Submits what is bound, binds and writes again and so on, and waits; returns what failed on the way. */
    List<StowageException> runAllAhead(int runs) {
        List<StowageException> failures = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            try {
                bound().runAsync();
                bindAndWrite(0);
            } catch (StowageException e) {
                failures.add(e);
            }
        }
        try {
            scheduler.synchronize();
        } catch (StowageException e) {
            failures.add(e);
        }
        return failures;
    }

    /** Binds, writes, and submits the run and the reading of its outputs, which are there after a synchronize. */
    List<float[]> runAhead(int run) {
        BoundSchedule next = bindAndWrite(run);
        next.runAsync();
        List<float[]> outputs = new ArrayList<>();
        for (Tensor output : program.outputs()) {
            float[] values = new float[(int) output.shape().elements()];
            next.backendOf(output).getAsync(next.tensor(output), 0, MemorySegment.ofArray(values));
            outputs.add(values);
        }
        return outputs;
    }

    @Override
    public void close() {
        List<AutoCloseable> rest = new ArrayList<>(open);
        open.clear();
        for (AutoCloseable each : rest.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
