package dev.stowage.schedule.pass;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds asynchronous devices that access the same bytes without a copy in between, which ggml leaves to the backends.
 * Two devices are <em>entangled</em> if their results have the same memory or one reads in place what the other writes;
 * a split waits for every entangled device that may still be running. Usually there are none: accelerators have memory
 * of their own, and the CPU is synchronous.
 */
public final class Hazards {

    private final AssignmentTable table;
    private final Graph graph;
    private final boolean[] async;
    private final boolean[] entangled;
    /** By device, the first device that it is entangled with, directly or through others; itself if there is none. */
    private final int[] groups;

    private final boolean[] readInFlight;
    private final boolean[] written;
    /** By id, the devices that write into a tensor of another device. */
    private final Map<Integer, BitSet> foreignWriters = new HashMap<>();

    private Hazards(AssignmentTable table) {
        this.table = table;
        this.graph = table.graph();
        this.async = new boolean[table.devices().count()];
        this.entangled = new boolean[async.length * async.length];
        this.groups = new int[async.length];
        boolean any = false;
        for (int device = 0; device < async.length; device++) {
            async[device] = table.devices().device(device).capabilities().contains(Capability.ASYNC);
            any |= async[device];
        }
        this.readInFlight = new boolean[any ? graph.size() : 0];
        this.written = new boolean[any ? graph.size() : 0];
    }

    /** The hazards of a graph whose tensors all have a device. */
    public static Hazards of(AssignmentTable table) {
        Hazards hazards = new Hazards(table);
        if (hazards.written.length > 0) {
            hazards.find();
        }
        hazards.group();
        return hazards;
    }

    private void find() {
        for (int one = 0; one < async.length; one++) {
            for (int other = 0; other < async.length; other++) {
                if (one != other && table.shareMemory(one, other)) {
                    entangle(one, other);
                }
            }
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (!graph.isViewOp(id)) {
                int root = graph.root(id);
                written[root] = true;
                if (table.device(id) != table.device(root)) {
                    foreignWriters.computeIfAbsent(root, _ -> new BitSet()).set(table.device(id));
                }
            }
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (!graph.isViewOp(id)) {
                find(id);
            }
        }
    }

    private void group() {
        Arrays.setAll(groups, device -> device);
        for (int device = 0; device < groups.length; device++) {
            for (int other = 0; other < device; other++) {
                if (entangled[device * async.length + other]) {
                    join(groups[device], groups[other]);
                }
            }
        }
    }

    private void join(int one, int other) {
        for (int device = 0; device < groups.length; device++) {
            if (groups[device] == Math.max(one, other)) {
                groups[device] = Math.min(one, other);
            }
        }
    }

    private void find(int id) {
        int device = table.device(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source == Graph.NO_ID || !table.reaches(source, device)) {
                continue;
            }
            int root = graph.root(source);
            readInFlight[root] |= async[device];
            if (!table.isPlaced(root) || written[root]) {
                entangleWithMemoryOf(root, device);
            }
        }
        entangleWithMemoryOf(id, device);
    }

    private void entangleWithMemoryOf(int id, int device) {
        for (int other = 0; other < async.length; other++) {
            if (table.worksIn(other, id)) {
                entangle(device, other);
            }
        }
        entangle(device, table.device(graph.root(id)));
        BitSet writers = foreignWriters.isEmpty() ? null : foreignWriters.get(graph.root(id));
        if (writers != null) {
            writers.stream().forEach(writer -> entangle(device, writer));
        }
    }

    private void entangle(int one, int other) {
        if (one != other) {
            entangled[one * async.length + other] = true;
            entangled[other * async.length + one] = true;
        }
    }

    /** Whether a split on a device must wait for all work submitted to another. */
    public boolean mustWaitFor(int device, int other) {
        return entangled[device * async.length + other] && async[other];
    }

    /**
     * Whether two devices may access the same memory, also through a third: two devices that both access host memory
     * share it.
     */
    public boolean mayShareMemory(int device, int other) {
        return groups[device] == groups[other];
    }

    public boolean isAnyAsync() {
        return written.length > 0;
    }

    public boolean isAsync(int device) {
        return async[device];
    }

    /** Whether an asynchronous device reads a tensor in place. */
    boolean isReadInFlight(int id) {
        return readInFlight.length > 0 && readInFlight[graph.root(id)];
    }

    /** Whether an asynchronous device may reuse the place of a tensor. */
    boolean isWrittenOverInFlight(int id) {
        return !table.isPlaced(id)
                && IntStream.range(0, async.length).anyMatch(device -> async[device] && table.reaches(id, device));
    }
}
