package dev.stowage.schedule.search;

import dev.stowage.internal.FlowNetwork;
import dev.stowage.internal.IntList;
import java.util.Arrays;

/**
 * Finds the assignment with the least total time of work and copies, without overlap. For two devices this is a minimum
 * cut, and exact:
 *
 * <pre>
 *   first ──cost on the second──► unit ──cost on the first──► second
 *                                  │  ▲
 *                                  ▼  │   copies: paid once when a tensor is here and any reader there
 *                                 other units
 * </pre>
 *
 * <p>With more devices, pairs are improved in rounds (alpha-beta swap), until no pair gains.
 */
public final class MinCut {

    private static final int ROUNDS = 4;

    private final MovableUnits units;
    private final CostSheet sheet;
    private final ReaderIndex readers;
    private final int count;
    /** By device, the penalty per byte of memory, raised where there is too little. */
    private final double[] price;

    private int[] devices = {};
    private int[] vertices = {};
    private FlowNetwork network = new FlowNetwork();
    private int one;
    private int other;

    public MinCut(MovableUnits units, CostSheet sheet, ReaderIndex readers, double[] price) {
        this.units = units;
        this.sheet = sheet;
        this.readers = readers;
        this.count = sheet.deviceCount();
        this.price = price;
    }

    /** A better assignment than that one, or the same. */
    public int[] improve(int[] from) {
        devices = from.clone();
        boolean changed = true;
        for (int round = 0; changed && round < ROUNDS; round++) {
            changed = false;
            for (int a = 0; a < count; a++) {
                for (int b = a + 1; b < count; b++) {
                    changed |= improve(a, b);
                }
            }
        }
        return devices;
    }

    private boolean improve(int a, int b) {
        one = a;
        other = b;
        network = new FlowNetwork();
        vertices = new int[units.count()];
        Arrays.fill(vertices, -1);
        boolean any = false;
        for (int unit = 0; unit < vertices.length; unit++) {
            boolean[] allowed = units.get(unit).allowed();
            if ((devices[unit] == a || devices[unit] == b) && allowed[a] && allowed[b]) {
                vertices[unit] = network.addVertex();
                addCost(vertices[unit], cost(unit, a), cost(unit, b));
                any = true;
            }
        }
        if (!any) {
            return false;
        }
        for (int source = 0; source < readers.size(); source++) {
            addSource(source);
        }
        return apply(network.cut());
    }

    private boolean apply(boolean[] onFirst) {
        boolean changed = false;
        for (int unit = 0; unit < vertices.length; unit++) {
            if (vertices[unit] >= 0) {
                int chosen = onFirst[vertices[unit]] ? one : other;
                changed |= chosen != devices[unit];
                devices[unit] = chosen;
            }
        }
        return changed;
    }

    private long cost(int unit, int device) {
        MovableUnits.Unit moved = units.get(unit);
        return moved.nanos()[device] + (long) (price[device] * moved.bytes());
    }

    private void addCost(int vertex, long onOne, long onOther) {
        long least = Math.min(onOne, onOther);
        network.addEdge(vertex, FlowNetwork.SINK, onOne - least);
        network.addEdge(FlowNetwork.SOURCE, vertex, onOther - least);
    }

    private void addSource(int source) {
        int unit = units.unitOf(source);
        if (unit == MovableUnits.FIXED || vertices[unit] < 0) {
            int device = readers.device(source, devices);
            addCopy(source, device, one, FlowNetwork.SINK);
            addCopy(source, device, other, FlowNetwork.SOURCE);
            return;
        }
        long onOne = 0;
        long onOther = 0;
        for (int device = 0; device < count; device++) {
            if (isReadForSure(source, device)) {
                onOne += copyCost(source, one, device);
                onOther += copyCost(source, other, device);
            }
        }
        addCost(vertices[unit], onOne, onOther);
        addCopy(source, other, one, vertices[unit]);
        addCopy(source, one, other, vertices[unit]);
    }

    /**
     * A tensor that may have to be copied to one of the two devices.
     *
     * @param origin the vertex of its unit, or if it does not move, the end of the network where the copy is not needed
     */
    private void addCopy(int source, int from, int to, int origin) {
        long cost = copyCost(source, from, to);
        if (cost == 0 || isReadForSure(source, to)) {
            return;
        }
        int copy = network.addVertex();
        addEdge(to, origin, copy, cost);
        IntList reading = readers.readers(source);
        for (int index = 0; index < reading.size(); index++) {
            int vertex = vertices[reading.get(index)];
            if (vertex >= 0 && vertex != origin) {
                addEdge(to, copy, vertex, FlowNetwork.UNLIMITED);
            }
        }
    }

    /** An edge that is cut if its end is on the given device and its start is not. */
    private void addEdge(int device, int start, int end, long most) {
        if (device == one) {
            network.addEdge(end, start, most);
        } else {
            network.addEdge(start, end, most);
        }
    }

    /** Whether a tensor has a reader on a device that does not move. */
    private boolean isReadForSure(int source, int device) {
        return readers.hasFixedReader(source, device)
                || readers.readers(source).anyMatch(unit -> vertices[unit] < 0 && devices[unit] == device);
    }

    private long copyCost(int source, int from, int to) {
        return readers.mustBeCopied(source, from, to)
                ? sheet.copyNanos(readers.bytes(source), from, to) + (long) (price[to] * sheet.bytes(source))
                : 0;
    }
}
