package dev.stowage.schedule.cost;

import dev.stowage.device.Backend;
import dev.stowage.error.AllocationException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * Measures a device for every kind of work. A tiny node gives the overhead per node; the additional time of a large one
 * is divided by its bytes or its flops, whichever bounds it.
 */
final class DeviceCalibration {

    private static final long TINY = 1;
    private static final long FIRST_SIZE = 32;
    private static final long LAST_SIZE = 4096;

    /** Tiny nodes are submitted together, so that the cost of a submission is amortized. */
    private static final int TOGETHER = 32;

    private static final int MEMORY_SHARE = 4;

    private final Backend backend;
    private final ElementType weightType;
    private final Stopwatch watch;
    private final Consumer<String> listener;
    private final Map<WorkKind, OpRate> rates = new EnumMap<>(WorkKind.class);

    DeviceCalibration(Backend backend, ElementType weightType, Stopwatch watch, Consumer<String> listener) {
        this.backend = backend;
        this.weightType = weightType;
        this.watch = watch;
        this.listener = listener;
    }

    /** Adds the rates to a model. */
    void measure(CostModel.Builder model) {
        for (CalibrationSample sample : CalibrationSample.values()) {
            OptionalDouble tiny = nanosPerNode(sample, TINY, TOGETHER);
            if (tiny.isPresent()) {
                take(sample, tiny.getAsDouble());
            }
        }
        model.device(backend.name(), general());
        rates.forEach((kind, rate) -> model.device(backend.name(), kind, rate));
    }

    /** Other work moves bytes like a sum and computes like a multiplication. */
    private OpRate general() {
        OpRate none = new OpRate(0, 0, 0);
        OpRate sum = rates.getOrDefault(WorkKind.ELEMENTWISE, none);
        OpRate product = rates.getOrDefault(WorkKind.MATRIX, none);
        return new OpRate(
                Math.max(sum.nanosPerNode(), product.nanosPerNode()), product.nanosPerFlop(), sum.nanosPerByte());
    }

    private void take(CalibrationSample sample, double tiny) {
        Stopwatch.Measurement large =
                watch.largest(TINY, FIRST_SIZE, LAST_SIZE, tiny, size -> nanosPerNode(sample, size, 1));
        long size = large.size();
        double nanos = large.nanos();
        NodeWork work = NodeWork.of(sample.make(new GraphBuilder(), typeFor(sample), size));
        NodeWork least = NodeWork.of(sample.make(new GraphBuilder(), typeFor(sample), TINY));
        OpRate before = rates.getOrDefault(sample.kind(), new OpRate(tiny, 0, 0));
        boolean byBytes = sample.bound() == CalibrationSample.Bound.BYTES;
        double more = byBytes ? work.bytes() - least.bytes() : work.flops() - least.flops();
        double rate = more <= 0 ? 0 : Math.max(0, nanos - tiny) / more;
        double fixed = Math.max(0, tiny - rate * (byBytes ? least.bytes() : least.flops()));
        OpRate known = new OpRate(
                Math.min(before.nanosPerNode(), fixed),
                byBytes ? before.nanosPerFlop() : rate,
                byBytes ? rate : before.nanosPerByte());
        rates.put(sample.kind(), known);
        listener.accept(backend.name() + " " + sample + " of size " + size + ": " + Math.round(nanos) + " ns, "
                + Math.round(tiny) + " ns when tiny");
    }

    private ElementType typeFor(CalibrationSample sample) {
        Tensor node = sample.make(new GraphBuilder(), weightType, FIRST_SIZE);
        return backend.device().supports(node).isSupported() ? weightType : ElementType.F32;
    }

    /** The time of a node; empty if the device does not support it or lacks memory. */
    private OptionalDouble nanosPerNode(CalibrationSample sample, long size, int count) {
        GraphBuilder ops = new GraphBuilder();
        Tensor[] nodes = new Tensor[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = sample.make(ops, typeFor(sample), size);
        }
        long bytes = ops.tensors().stream().mapToLong(Tensor::byteSize).sum();
        long total = backend.device().memory().total();
        boolean hasRoom = total == 0 || bytes < backend.device().memory().free() / MEMORY_SHARE;
        if (!hasRoom || !backend.device().supports(nodes[0]).isSupported()) {
            return OptionalDouble.empty();
        }
        Graph graph = Graph.of(nodes);
        try (Buffer buffer = Allocations.allocateAll(ops, backend.device().bufferType())) {
            buffer.clear((byte) 0);
            return OptionalDouble.of(watch.nanos(() -> backend.compute(graph)) / count);
        } catch (AllocationException _) {
            return OptionalDouble.empty();
        }
    }
}
