package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.llm.fit.ResultMemory;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a session holds on its devices: the memory of its cache, a backend of each, the scheduler over them and staging
 * memory. All of it is given back together, and by a constructor that fails too.
 */
final class SessionResources implements AutoCloseable {

    private final List<Buffer> cacheBuffers = new ArrayList<>();
    private final List<Backend> backends = new ArrayList<>();
    private final HostStaging staging;
    private final Scheduler scheduler;
    /** Everything opened, in that order; closed from the last to the first. */
    private final List<AutoCloseable> opened = new ArrayList<>();

    SessionResources(List<Device> devices, LayerPlacement layers, KeyValueCache cache, ModelOptions options) {
        this.staging = new HostStaging(devices.size());
        opened.add(staging);
        try {
            placeCache(devices, layers, cache);
            for (Device device : devices) {
                Backend backend = device.open(options.backend());
                opened.add(backend);
                backends.add(backend);
            }
            ScheduleOptions schedule = options.schedule();
            this.scheduler = Scheduler.over(backends, ResultMemory.of(devices), schedule);
            opened.add(scheduler);
        } catch (RuntimeException | Error e) {
            closeAll(e);
            throw e;
        }
    }

    private void placeCache(List<Device> devices, LayerPlacement layers, KeyValueCache cache) {
        List<List<Tensor>> byDevice = new ArrayList<>();
        devices.forEach(_ -> byDevice.add(new ArrayList<>()));
        for (int layer = 0; layer < layers.layers(); layer++) {
            byDevice.get(layers.deviceOf(layer)).addAll(cache.tensors(layer));
        }
        for (int device = 0; device < devices.size(); device++) {
            Buffer buffer = Allocations.allocateAll(
                    byDevice.get(device), devices.get(device).bufferType());
            opened.add(buffer);
            cacheBuffers.add(buffer);
            // Cells that were never written are masked, but a NaN in them would still reach the result.
            buffer.clear((byte) 0);
        }
    }

    Scheduler scheduler() {
        return scheduler;
    }

    HostStaging staging() {
        return staging;
    }

    long cacheBytes(int device) {
        return cacheBuffers.get(device).size();
    }

    long computeBytes(int device) {
        return scheduler.bufferSize(backends.get(device));
    }

    /** Closes everything, also if something of it fails to; the first failure is thrown then. */
    @Override
    public void close() {
        @Nullable Throwable failure = closeAll(null);
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    private @Nullable Throwable closeAll(@Nullable Throwable earlier) {
        @Nullable Throwable first = earlier;
        for (AutoCloseable each : opened.reversed()) {
            try {
                each.close();
            } catch (Exception | Error e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        opened.clear();
        return first;
    }
}
