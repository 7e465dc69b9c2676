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

/** Measures how fast bytes get from one device to another: a small copy tells the latency, a large one the rest. */
final class LinkCalibration {

    private static final long SMALL = 64;
    private static final long FIRST_SIZE = 64L << 10;
    private static final long LAST_SIZE = 64L << 20;

    /** Bytes that take no time at all would be more than a number can say. */
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
        long size = FIRST_SIZE;
        OptionalDouble first = copy(size);
        while (first.isEmpty() && size > 2 * SMALL) {
            size /= 2;
            first = copy(size);
        }
        double large = first.orElse(small);
        while (size < LAST_SIZE && watch.hasTimeForLarger(large)) {
            OptionalDouble larger = copy(2 * size);
            if (larger.isEmpty()) {
                break;
            }
            size *= 2;
            large = larger.getAsDouble();
        }
        double perByte = Math.max(LEAST_NANOS, large - small) / (size - SMALL);
        return new LinkRate(Math.max(0, small - SMALL * perByte), TimeUnit.SECONDS.toNanos(1) / perByte);
    }

    /** What a copy of so many bytes takes; nothing where there is no room for it. */
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
