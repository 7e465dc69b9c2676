package dev.stowage.schedule.cost;

import dev.stowage.device.Backend;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** Measures a link between two devices: a small copy gives the latency, a large one the bandwidth. */
final class LinkCalibration {

    private static final long SMALL = 64;
    private static final long FIRST_SIZE = 64L << 10;
    private static final long LAST_SIZE = 64L << 20;

    /** Keeps the bandwidth finite. */
    private static final double LEAST_NANOS = 1;

    private final Backend from;
    private final Backend to;
    private final Stopwatch watch;

    LinkCalibration(Backend from, Backend to, Stopwatch watch) {
        this.from = from;
        this.to = to;
        this.watch = watch;
    }

    LinkRate measure() {
        double small = copy(SMALL).orElse(0);
        Stopwatch.Measurement large = watch.largest(SMALL, FIRST_SIZE, LAST_SIZE, small, this::copy);
        double perByte = Math.max(LEAST_NANOS, large.nanos() - small) / (large.size() - SMALL);
        return new LinkRate(Math.max(0, small - SMALL * perByte), TimeUnit.SECONDS.toNanos(1) / perByte);
    }

    /** The time of a copy; empty if there is not enough memory. */
    private OptionalDouble copy(long bytes) {
        Layout layout = Layout.contiguous(ElementType.I8, bytes);
        Tensor source = Tensor.leaf(layout);
        Tensor target = Tensor.leaf(layout);
        try (Buffer one = Allocations.allocateAll(List.of(source), from.device().bufferType());
                Buffer other =
                        Allocations.allocateAll(List.of(target), to.device().bufferType())) {
            one.clear((byte) 0);
            other.clear((byte) 0);
            return OptionalDouble.of(watch.nanos(() -> {
                to.copyAsync(from, BoundTensor.of(source), BoundTensor.of(target));
                to.synchronize();
            }));
        } catch (AllocationException _) {
            return OptionalDouble.empty();
        }
    }
}
