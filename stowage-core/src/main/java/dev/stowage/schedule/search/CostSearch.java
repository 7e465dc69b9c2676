package dev.stowage.schedule.search;

import dev.stowage.schedule.pass.AssignmentTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for an assignment that takes less time. Minimum cuts give candidates that ignore overlap and memory; from
 * the best of them, ranges of consecutive units are moved, long ones first, and what helps is kept. The effort is
 * bounded by the number of evaluated candidates.
 */
public final class CostSearch {

    /** The limit of candidates times nodes, for searches well below a second. */
    private static final long EFFORT = 1_000_000;

    private static final int LEAST_TRIES = 100;
    private static final int MOST_TRIES = 3_000;
    private static final int PRICE_STEPS = 10;
    private static final double PRICE_RISE = 4;

    private final MovableUnits units;
    private final CostSheet sheet;
    private final CandidateEvaluator evaluator;
    private final ReaderIndex readers;
    private final int most;
    /** By device, the penalty per byte of memory. */
    private final double[] price;

    private int @Nullable [] best;
    private long bestNanos;
    private long currentNanos;

    public CostSearch(AssignmentTable table, MovableUnits units, CostSheet sheet, CandidateEvaluator evaluator) {
        this.units = units;
        this.sheet = sheet;
        this.evaluator = evaluator;
        this.readers = new ReaderIndex(table, units, sheet);
        this.price = new double[sheet.deviceCount()];
        this.most = Math.clamp(EFFORT / Math.max(1, table.graph().nodeCount()), LEAST_TRIES, MOST_TRIES);
    }

    /** Whether an assignment that fits was found, other than the start. */
    public boolean hasFound() {
        return best != null;
    }

    public long nanos() {
        return bestNanos;
    }

    /** Searches for something better than an assignment with the given time. */
    public int[] run(int[] start, long startNanos) {
        bestNanos = startNanos;
        List<int[]> starts = new ArrayList<>();
        starts.add(start);
        starts.add(tryCut(start));
        starts.add(tryCut(cheapest()));
        for (int device = 0; device < sheet.deviceCount(); device++) {
            starts.add(tryCut(allOn(device)));
        }
        int[] found = best;
        descend(found == null ? start : found);
        for (int[] other : starts) {
            descend(other);
        }
        found = best;
        return found == null ? start : found;
    }

    /** All units that a device allows on that device. */
    private int[] allOn(int device) {
        int[] devices = units.initialDevices();
        for (int unit = 0; unit < devices.length; unit++) {
            devices[unit] = units.get(unit).allowed()[device] ? device : devices[unit];
        }
        return devices;
    }

    /** Every unit on its fastest device. */
    private int[] cheapest() {
        int[] devices = units.initialDevices();
        for (int unit = 0; unit < devices.length; unit++) {
            MovableUnits.Unit moved = units.get(unit);
            for (int device = 0; device < sheet.deviceCount(); device++) {
                if (moved.allowed()[device] && moved.nanos()[device] < moved.nanos()[devices[unit]]) {
                    devices[unit] = device;
                }
            }
        }
        return devices;
    }

    /** The best assignment by cuts; the price of exceeded memory is raised until it suffices. */
    private int[] tryCut(int[] start) {
        int[] cut = start;
        int overfull = 0;
        for (int step = 0; overfull != AssignmentTable.NONE && step < PRICE_STEPS; step++) {
            cut = new MinCut(units, sheet, readers, price).improve(start);
            overfull = consider(cut, evaluator.nanos(cut), bestNanos);
            if (overfull != AssignmentTable.NONE) {
                price[overfull] = price[overfull] == 0 ? startPrice() : PRICE_RISE * price[overfull];
            }
        }
        // The next start may fit at a slightly lower price.
        Arrays.setAll(price, device -> price[device] / PRICE_RISE);
        return cut;
    }

    /** A price at which the largest unit costs as much as a thousandth of all work. */
    private double startPrice() {
        long nanos = 1;
        long bytes = 1;
        for (int unit = 0; unit < units.count(); unit++) {
            nanos += Arrays.stream(units.get(unit).nanos()).min().orElse(0);
            bytes = Math.max(bytes, units.get(unit).bytes());
        }
        return nanos / 1000.0 / bytes;
    }

    /**
     * Records an assignment that is better and fits; returns the device that lacks memory, or {@link
     * AssignmentTable#NONE}.
     */
    private int consider(int[] devices, long nanos, long known) {
        int overfull = nanos < known ? evaluator.overfull(devices) : AssignmentTable.NONE;
        if (overfull == AssignmentTable.NONE && nanos < bestNanos) {
            best = devices.clone();
            bestNanos = nanos;
        }
        return overfull;
    }

    /** Moves ranges of units until nothing helps any more. */
    private void descend(int[] start) {
        if (evaluator.evaluations() >= most || evaluator.overfull(start) != AssignmentTable.NONE) {
            return;
        }
        int[] devices = start.clone();
        currentNanos = evaluator.nanos(devices);
        boolean helped = true;
        while (helped && evaluator.evaluations() < most) {
            helped = false;
            for (int length = Integer.highestOneBit(Math.max(1, devices.length)); length > 0; length /= 2) {
                helped |= moveRanges(devices, length);
            }
            helped |= shiftBorders(devices);
        }
    }

    private boolean moveRanges(int[] devices, int length) {
        boolean helped = false;
        for (int first = 0; first < devices.length; first += Math.max(1, length / 2)) {
            for (int device = 0; device < sheet.deviceCount(); device++) {
                helped |= move(devices, first, Math.min(devices.length, first + length), device);
            }
        }
        return helped;
    }

    /** Moves the border between two devices, either way. */
    private boolean shiftBorders(int[] devices) {
        boolean helped = false;
        for (int unit = 1; unit < devices.length; unit++) {
            if (devices[unit] == devices[unit - 1]) {
                continue;
            }
            int before = devices[unit - 1];
            int after = devices[unit];
            for (int length = 1; length < devices.length; length *= 2) {
                helped |= move(devices, unit, Math.min(devices.length, unit + length), before);
                helped |= move(devices, Math.max(0, unit - length), unit, after);
            }
            int end = unit;
            while (end < devices.length && devices[end] == devices[unit]) {
                end++;
            }
            helped |= move(devices, unit, end, before);
        }
        return helped;
    }

    /** Moves the units of a range that a device allows; keeps that if it helps. */
    private boolean move(int[] devices, int first, int end, int device) {
        if (evaluator.evaluations() >= most) {
            return false;
        }
        int[] before = Arrays.copyOfRange(devices, first, end);
        boolean changed = false;
        for (int unit = first; unit < end; unit++) {
            if (devices[unit] != device && units.get(unit).allowed()[device]) {
                devices[unit] = device;
                changed = true;
            }
        }
        if (changed) {
            long nanos = evaluator.nanos(devices);
            if (nanos < currentNanos && consider(devices, nanos, currentNanos) == AssignmentTable.NONE) {
                currentNanos = nanos;
                return true;
            }
        }
        System.arraycopy(before, 0, devices, first, before.length);
        return false;
    }
}
