package dev.stowage.bench.ops;

import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A device whose runs are submitted one after the other and timed by the device's own clock, from an event before the first to
 * one after the last; by the clock of the host where the device has none.
 */
final class StreamContender implements Contender {

    private final DeviceContender ours;
    private final @Nullable Event start;
    private final @Nullable Event end;

    StreamContender(Device device, DeviceContender ours) {
        this.ours = ours;
        boolean hasEvents = device.capabilities().contains(Capability.EVENTS);
        try {
            this.start = hasEvents ? device.createEvent() : null;
            this.end = hasEvents ? device.createEvent() : null;
        } catch (RuntimeException | Error e) {
            ours.close();
            throw e;
        }
    }

    /** Whether the clock of a device times its runs. */
    static boolean hasClock(Device device) {
        if (!device.capabilities().contains(Capability.EVENTS)) {
            return false;
        }
        try (Event first = device.createEvent();
                Event second = device.createEvent();
                var backend = device.open()) {
            backend.record(first);
            backend.record(second);
            backend.synchronize();
            return second.nanosSince(first).isPresent();
        }
    }

    @Override
    public String variant() {
        return ours.variant();
    }

    @Override
    public void run() {
        ours.run();
    }

    @Override
    public double seconds(int runs) {
        long began = System.nanoTime();
        record(start);
        for (int run = 0; run < runs; run++) {
            ours.submit();
        }
        record(end);
        ours.backend().synchronize();
        long host = System.nanoTime() - began;
        return deviceNanos().orElse(host) / NANOS / runs;
    }

    private void record(@Nullable Event event) {
        if (event != null) {
            ours.backend().record(event);
        }
    }

    private OptionalLong deviceNanos() {
        return start == null || end == null ? OptionalLong.empty() : end.nanosSince(start);
    }

    @Override
    public double[] result() {
        return ours.result();
    }

    @Override
    public void close() {
        if (start != null) {
            start.close();
        }
        if (end != null) {
            end.close();
        }
        ours.close();
    }
}
