package dev.stowage.schedule.search;

import java.util.Arrays;

/**
 * Finds the assignment in which the work of all devices and all copies add up to the least, as if nothing went on side by
 * side. Between two devices that is a smallest cut, and exact:
 *
 * <pre>
 *   first ──cost on the second──► unit ──cost on the first──► second
 *                                  │  ▲
 *                                  ▼  │   copies: paid once when a tensor is here and any reader there
 *                                 other units
 * </pre>
 *
 * <p>With more devices, two at a time take their pick of what they have together, until no two gain.
 */
public final class MinCut {

    private static final int ROUNDS = 4;

    private final MovableUnits units;
    private final CostSheet sheet;
    private final ReaderIndex readership;
    private final int count;
    /** By device what a byte of its memory is to cost, to make it dear where there is too little. */
    private final double[] price;

    private int[] devices = {};
    private int[] points = {};
    private FlowNetwork network = new FlowNetwork();
    private int one;
    private int other;

    public MinCut(MovableUnits units, CostSheet sheet, ReaderIndex readership, double[] price) {
        this.units = units;
        this.sheet = sheet;
        this.readership = readership;
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
        points = new int[units.count()];
        Arrays.fill(points, -1);
        boolean any = false;
        for (int unit = 0; unit < points.length; unit++) {
            boolean[] allowed = units.get(unit).allowed();
            if ((devices[unit] == a || devices[unit] == b) && allowed[a] && allowed[b]) {
                points[unit] = network.addPoint();
                addCost(points[unit], cost(unit, a), cost(unit, b));
                any = true;
            }
        }
        if (!any) {
            return false;
        }
        for (int source = 0; source < readership.size(); source++) {
            addSource(source);
        }
        boolean[] onFirst = network.cut();
        return takeOver(onFirst);
    }

    private boolean takeOver(boolean[] onFirst) {
        boolean changed = false;
        for (int unit = 0; unit < points.length; unit++) {
            if (points[unit] >= 0) {
                int chosen = onFirst[points[unit]] ? one : other;
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

    private void addCost(int point, long onOne, long onOther) {
        long least = Math.min(onOne, onOther);
        network.connect(point, FlowNetwork.SINK, onOne - least);
        network.connect(FlowNetwork.SOURCE, point, onOther - least);
    }

    private void addSource(int source) {
        int unit = units.unitOf(source);
        if (unit == MovableUnits.FIXED || points[unit] < 0) {
            int home = readership.home(source, devices);
            addFromAfar(source, home, one);
            addFromAfar(source, home, other);
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
        addCost(points[unit], onOne, onOther);
        addBetween(source, unit);
    }

    /** A tensor that stays on a third device, or on one of the two, and may have to be brought to a device. */
    private void addFromAfar(int source, int home, int device) {
        long cost = copyCost(source, home, device);
        if (cost == 0 || isReadForSure(source, device)) {
            return;
        }
        int copied = network.addPoint();
        if (device == one) {
            network.connect(copied, FlowNetwork.SINK, cost);
        } else {
            network.connect(FlowNetwork.SOURCE, copied, cost);
        }
        for (int reader = 0; reader < readership.readerCount(source); reader++) {
            int point = points[readership.reader(source, reader)];
            if (point >= 0) {
                network.connect(device == one ? point : copied, device == one ? copied : point, FlowNetwork.UNLIMITED);
            }
        }
    }

    /** A tensor that is on one of the two and may have readers on the other. */
    private void addBetween(int source, int unit) {
        long there = isReadForSure(source, other) ? 0 : copyCost(source, one, other);
        long back = isReadForSure(source, one) ? 0 : copyCost(source, other, one);
        int copiedThere = there > 0 ? network.addPoint() : -1;
        int copiedBack = back > 0 ? network.addPoint() : -1;
        if (there > 0) {
            network.connect(points[unit], copiedThere, there);
        }
        if (back > 0) {
            network.connect(copiedBack, points[unit], back);
        }
        for (int reader = 0; reader < readership.readerCount(source); reader++) {
            int read = readership.reader(source, reader);
            int point = read == unit ? -1 : points[read];
            if (point >= 0 && there > 0) {
                network.connect(copiedThere, point, FlowNetwork.UNLIMITED);
            }
            if (point >= 0 && back > 0) {
                network.connect(point, copiedBack, FlowNetwork.UNLIMITED);
            }
        }
    }

    /** Whether a tensor has a reader on a device that is not about to move. */
    private boolean isReadForSure(int source, int device) {
        if (readership.hasFixedReader(source, device)) {
            return true;
        }
        for (int reader = 0; reader < readership.readerCount(source); reader++) {
            int read = readership.reader(source, reader);
            if (points[read] < 0 && devices[read] == device) {
                return true;
            }
        }
        return false;
    }

    private long copyCost(int source, int from, int to) {
        return readership.mustBeCopied(source, from, to)
                ? sheet.copyNanos(readership.bytes(source), from, to) + (long) (price[to] * sheet.bytes(source))
                : 0;
    }
}
