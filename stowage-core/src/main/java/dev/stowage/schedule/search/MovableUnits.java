package dev.stowage.schedule.search;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.pass.AssignmentTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * What can be moved to another device, and where to. A unit is a tensor without a place yet together with all views of
 * it, which lie where it lies, whether an op writes through them or not; or one node that writes to memory which is there
 * already, such as a cache. Inputs, what the caller assigned and what has a place stay where they are.
 *
 * <p>Units are numbered in the order in which the first node of each runs.
 */
public final class MovableUnits {

    static final int FIXED = -1;

    private final AssignmentTable board;
    private final Graph graph;
    private final CostSheet sheet;
    private final List<Unit> units = new ArrayList<>();
    private final int[] unitOf;

    /** Tensors that move together. The arrays are by device, and for reading only. */
    public static final class Unit {

        private final int order;
        private final int[] ids;
        private final boolean[] allowed;
        private final long[] nanos;
        private final long bytes;
        private final int home;

        private Unit(int order, int[] ids, boolean[] allowed, long[] nanos, long bytes, int home) {
            this.order = order;
            this.ids = ids;
            this.allowed = allowed;
            this.nanos = nanos;
            this.bytes = bytes;
            this.home = home;
        }

        /** The tensors. */
        public int[] ids() {
            return ids;
        }

        /** Whether they can all be on a device. */
        public boolean[] allowed() {
            return allowed;
        }

        /** What computing them takes. */
        long[] nanos() {
            return nanos;
        }

        /** The memory they lie in, 0 if it is there already. */
        long bytes() {
            return bytes;
        }
    }

    /** The units of a board on which everything has a device. */
    public MovableUnits(AssignmentTable board, CostSheet sheet) {
        this.board = board;
        this.graph = board.graph();
        this.sheet = sheet;
        this.unitOf = new int[graph.size()];
        collect();
        units.sort(Comparator.comparingInt(unit -> unit.order));
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

    /** The devices that ggml chose, by unit. */
    public int[] homes() {
        return units.stream().mapToInt(unit -> unit.home).toArray();
    }

    private void collect() {
        IntList[] families = families();
        for (int root = 0; root < families.length; root++) {
            if (board.isPlaced(root)) {
                for (int index = 0; index < families[root].size(); index++) {
                    addWriter(families[root].get(index));
                }
            } else if (families[root].size() > 0) {
                addFamily(families[root].toArray());
            }
        }
    }

    /** By tensor that is no view, itself and all views of it. */
    private IntList[] families() {
        IntList[] families = new IntList[graph.size()];
        Arrays.setAll(families, _ -> new IntList(1));
        for (int id = 0; id < graph.size(); id++) {
            families[graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id)].add(id);
        }
        return families;
    }

    private void addWriter(int id) {
        if (!runs(id) || graph.isInput(id) || board.isCallersChoice(id)) {
            return;
        }
        boolean[] allowed = new boolean[sheet.deviceCount()];
        for (int device = 0; device < allowed.length; device++) {
            // Others that copy from this memory wait for the device it belongs to, and not for who else may write
            // there.
            allowed[device] = device == board.device(id)
                    || (!sheet.isAsync(device) && board.reads(id, device) && board.runs(id, device));
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
                    || board.isCallersChoice(id)
                    || board.device(id) != board.device(root);
            if (stays) {
                return;
            }
            if (runs(id)) {
                order = Math.min(order, id);
                for (int device = 0; device < allowed.length; device++) {
                    allowed[device] &= board.runs(id, device);
                }
            }
        }
        allowed[board.device(root)] = true;
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
            units.add(new Unit(order, ids, allowed, nanos, bytes, board.device(ids[0])));
        }
    }

    /** Whether something has to be done for a tensor. */
    private boolean runs(int id) {
        return graph.isNode(id) && graph.isComputed(id) && !graph.isViewOp(id);
    }
}
