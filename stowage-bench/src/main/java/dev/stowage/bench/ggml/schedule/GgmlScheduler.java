package dev.stowage.bench.ggml.schedule;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.stowage.bench.ggml.GgmlSchedulerFunctions;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One of ggml's schedulers over devices that do nothing. Each step is a call of its own, so that it can be timed on its
 * own. Close it before its devices and after nothing else uses what it placed. Belongs to one thread.
 */
public final class GgmlScheduler implements AutoCloseable {

    /** Stands for a tensor that is on no device. */
    public static final int NOWHERE = -1;

    private final GgmlNoOpDevices devices;
    private final GgmlSchedulerFunctions functions;
    private final MemorySegment scheduler;
    private boolean closed;

    private GgmlScheduler(GgmlNoOpDevices devices, long graphSize, boolean isPipelined, boolean offloads) {
        this.devices = devices;
        this.functions = devices.library().schedulers();
        List<MemorySegment> backends = devices.backends();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment listed = arena.allocate(ADDRESS, backends.size());
            MemorySegment types = arena.allocate(ADDRESS, backends.size());
            for (int i = 0; i < backends.size(); i++) {
                listed.setAtIndex(ADDRESS, i, backends.get(i));
                types.setAtIndex(
                        ADDRESS, i, devices.type(devices.rules().get(i).memory().name()));
            }
            this.scheduler = functions.create(listed, types, backends.size(), graphSize, isPipelined, offloads);
        }
    }

    /** A scheduler over devices in order of priority, for graphs of up to so many tensors, copies included. */
    public static GgmlScheduler over(GgmlNoOpDevices devices, long graphSize, boolean isPipelined, boolean offloads) {
        return new GgmlScheduler(devices, graphSize, isPipelined, offloads);
    }

    /** Forgets the graph that is allocated and what the caller assigned. */
    public void reset() {
        functions.reset(open());
    }

    /** Has a tensor computed on a device of the caller's choice, until the next reset. */
    void assign(GgmlTensor tensor, int device) {
        functions.assign(open(), tensor, devices.backends().get(device));
    }

    /** Spreads a graph over the devices, which changes it. */
    public void split(ScheduleMirror mirror) {
        functions.split(open(), mirror.mirrored());
    }

    /** Spreads a graph over the devices, which changes it, and gives every tensor its place. */
    public void allocate(ScheduleMirror mirror) {
        if (!functions.allocate(open(), mirror.mirrored())) {
            throw new AllocationException(
                    "ggml could not allocate the graph", devices.rules().toString(), -1, -1);
        }
    }

    /** Submits a run of the allocated graph. */
    public void runAsync(ScheduleMirror mirror) {
        int status = functions.compute(open(), mirror.mirrored());
        if (status != 0) {
            throw DeviceException.of("ggml", "compute", "ggml's status is " + status);
        }
    }

    public void synchronize() {
        functions.synchronize(open());
    }

    public int splitCount() {
        return functions.splitCount(open());
    }

    /** How many runs can be in flight at once. */
    public int copyCount() {
        return functions.copyCount(open());
    }

    /** The bytes taken for a device's results; 0 where an earlier one works in the same memory. */
    public long bufferSize(int device) {
        return functions.bufferSize(open(), devices.backends().get(device));
    }

    /** The number of the device a tensor is on, or {@link #NOWHERE}. */
    int deviceOf(GgmlTensor tensor) {
        return devices.backends().indexOf(functions.backendOf(open(), tensor));
    }

    private MemorySegment open() {
        if (closed) {
            throw new ClosedException("the scheduler is closed");
        }
        return scheduler;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            functions.free(scheduler);
        }
    }
}
