package dev.stowage.testkit.race;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The last access of every actor to every byte. Neighbouring bytes with the same history are one cell; an access that
 * begins or ends within a cell splits it.
 *
 * <pre>
 *   cells     [ 0        64 )[ 64   96 )      [ 128  160 )
 *   access          [ 32         80 )
 *   then      [ 0  32 )[ 32 64 )[ 64 80 )[ 80 96 )   [ 128  160 )
 * </pre>
 */
final class ShadowMemory {

    /** Is notified of an earlier access to some bytes of the access that is being recorded. */
    interface Conflict {
        void report(LoggedAccess earlier, long bytes);
    }

    private static final class Cell {

        private final long end;
        private final @Nullable LoggedAccess[] reads;
        private final @Nullable LoggedAccess[] writes;

        Cell(long end, @Nullable LoggedAccess[] reads, @Nullable LoggedAccess[] writes) {
            this.end = end;
            this.reads = reads;
            this.writes = writes;
        }

        Cell endingAt(long newEnd) {
            return new Cell(newEnd, reads.clone(), writes.clone());
        }
    }

    private final int actors;
    private final Map<Object, NavigableMap<Long, Cell>> spaces = new HashMap<>();

    ShadowMemory(int actors) {
        this.actors = actors;
    }

    /** Records an access, and reports all earlier accesses of other actors that conflict with it. */
    void record(LoggedAccess access, Conflict conflict) {
        ByteRange bytes = access.bytes().bytes();
        if (bytes.length() == 0) {
            return;
        }
        NavigableMap<Long, Cell> cells = spaces.computeIfAbsent(bytes.space(), _ -> new TreeMap<>());
        cut(cells, bytes.start());
        cut(cells, bytes.end());
        fillGaps(cells, bytes);
        cells.subMap(bytes.start(), bytes.end()).forEach((start, cell) -> {
            reportAll(cell.writes, access, cell.end - start, conflict);
            if (access.bytes().isWrite()) {
                reportAll(cell.reads, access, cell.end - start, conflict);
            }
            (access.bytes().isWrite() ? cell.writes : cell.reads)[access.actor().number()] = access;
        });
    }

    private static void reportAll(
            @Nullable LoggedAccess[] earlier, LoggedAccess access, long bytes, Conflict conflict) {
        for (int actor = 0; actor < earlier.length; actor++) {
            LoggedAccess other = earlier[actor];
            if (other != null && actor != access.actor().number()) {
                conflict.report(other, bytes);
            }
        }
    }

    private static void cut(NavigableMap<Long, Cell> cells, long at) {
        Map.@Nullable Entry<Long, Cell> below = cells.lowerEntry(at);
        if (below != null && below.getValue().end > at) {
            cells.put(at, below.getValue().endingAt(below.getValue().end));
            cells.put(below.getKey(), below.getValue().endingAt(at));
        }
    }

    private void fillGaps(NavigableMap<Long, Cell> cells, ByteRange bytes) {
        List<Long> gaps = new ArrayList<>();
        long at = bytes.start();
        for (Map.Entry<Long, Cell> cell :
                cells.subMap(bytes.start(), bytes.end()).entrySet()) {
            if (cell.getKey() > at) {
                gaps.add(at);
            }
            at = cell.getValue().end;
        }
        if (at < bytes.end()) {
            gaps.add(at);
        }
        for (long gap : gaps) {
            @Nullable Long next = cells.higherKey(gap);
            long end = next == null ? bytes.end() : Math.min(next, bytes.end());
            cells.put(gap, new Cell(end, new LoggedAccess[actors], new LoggedAccess[actors]));
        }
    }
}
