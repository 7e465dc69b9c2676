package dev.stowage.schedule.search;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.pass.AssignmentTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The units that can move to another device. A unit is a tensor without memory with all views of it, or one node that
 * writes to existing memory, such as a cache. Inputs, assignments by the caller and tensors with memory do not move.
 * Units are numbered by their first node.
 */
public final class MovableUnits {

    static final int FIXED = -1;

    private final AssignmentTable table;
    private final Graph graph;
    private final CostSheet sheet;
    private final List<Unit> units = new ArrayList<>();
    private final int[] unitOf;

    /**
     * Tensors that move together. The arrays must not be changed.
     *
     * @param order the first node
     * @param ids the tensors
     * @param allowed by device, whether all of them can be there
     * @param nanos by device, the time to compute them
     * @param bytes the memory they need, 0 if they have it already
     * @param initialDevice the device that ggml's passes assigned
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Unit(int order, int[] ids, boolean[] allowed, long[] nanos, long bytes, int initialDevice) {}

    public MovableUnits(AssignmentTable table, CostSheet sheet) {
        this.table = table;
        this.graph = table.graph();
        this.sheet = sheet;
        this.unitOf = new int[graph.size()];
        collect();
        units.sort(Comparator.comparingInt(Unit::order));
        Arrays.fill(unitOf, FIXED);
        for (int unit = 0; unit < units.size(); unit++) {
            for (int id : units.get(unit).ids()) {
                unitOf[id] = unit;
            }
        }
    }

    public int count() {
        return units.size();
    }

    public Unit get(int unit) {
        return units.get(unit);
    }

    /** The unit a tensor belongs to, or {@link #FIXED}. */
    int unitOf(int id) {
        return unitOf[id];
    }

    /** The devices that ggml's passes assigned, by unit. */
    public int[] initialDevices() {
        return units.stream().mapToInt(Unit::initialDevice).toArray();
    }

    private void collect() {
        // By tensor that is not a view, the tensor and all views of it.
        IntList[] families = IntList.empty(graph.size());
        for (int id = 0; id < graph.size(); id++) {
            families[graph.root(id)].add(id);
        }
        for (int root = 0; root < families.length; root++) {
            int[] family = families[root].toArray();
            if (table.isPlaced(root)) {
                Arrays.stream(family).forEach(this::addWriter);
            } else if (family.length > 0) {
                addFamily(family);
            }
        }
    }

    private void addWriter(int id) {
        if (!runs(id) || graph.isInput(id) || table.isCallersChoice(id)) {
            return;
        }
        boolean[] allowed = new boolean[sheet.deviceCount()];
        for (int device = 0; device < allowed.length; device++) {
            // Copies from this memory wait for its own device only, not for other asynchronous writers.
            allowed[device] = device == table.device(id)
                    || (!sheet.isAsync(device) && table.reads(id, device) && table.runs(id, device));
        }
        add(id, new int[] {id}, allowed, 0);
    }

    private void addFamily(int[] ids) {
        int root = ids[0];
        boolean[] allowed = new boolean[sheet.deviceCount()];
        Arrays.fill(allowed, true);
        int order = Integer.MAX_VALUE;
        for (int id : ids) {
            boolean stays = graph.isInput(id)
                    || graph.isWeight(id)
                    || graph.isExternal(id)
                    || table.isCallersChoice(id)
                    || table.device(id) != table.device(root);
            if (stays) {
                return;
            }
            if (runs(id)) {
                order = Math.min(order, id);
                for (int device = 0; device < allowed.length; device++) {
                    allowed[device] &= table.runs(id, device);
                }
            }
        }
        allowed[table.device(root)] = true;
        add(order, ids, allowed, sheet.bytes(root));
    }

    private void add(int order, int[] ids, boolean[] allowed, long bytes) {
        int choices = 0;
        long[] nanos = new long[allowed.length];
        for (int device = 0; device < allowed.length; device++) {
            choices += allowed[device] ? 1 : 0;
            for (int id : ids) {
                nanos[device] += runs(id) ? sheet.nodeNanos(id, device) : 0;
            }
        }
        if (choices > 1) {
            units.add(new Unit(order, ids, allowed, nanos, bytes, table.device(ids[0])));
        }
    }

    /** Whether a tensor is computed by a kernel. */
    private boolean runs(int id) {
        return graph.isNode(id) && graph.isComputed(id) && !graph.isViewOp(id);
    }
}
