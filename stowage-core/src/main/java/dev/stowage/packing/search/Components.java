package dev.stowage.packing.search;

import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The independent components of a skyline: ranges of sections that no waiting buffer connects. Each has a hash of its
 * state: the floors, whether they are solid, the waiting buffers, and which neighbours are out of order.
 */
final class Components {

    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final SearchModel model;
    private final Skyline skyline;
    private final FloorCandidates candidates;
    private final long[] waitingHash;
    private final int[][][] startingGroups;
    private final long[] seenAt;
    private final long[] seenHash;
    private final long[] hash;
    private final int[] from;
    private final int[] to;
    private long failedHash;

    Components(SearchModel model, Skyline skyline, FloorCandidates candidates) {
        this.model = model;
        this.skyline = skyline;
        this.candidates = candidates;
        waitingHash = new long[model.count];
        for (int buffer = 0; buffer < model.count; buffer++) {
            waitingHash[buffer] = FailedStates.mix(SPREAD * (buffer + 1));
        }
        startingGroups = startingGroups();
        seenAt = new long[model.sections];
        seenHash = new long[model.sections];
        hash = new long[model.sections];
        from = new int[model.sections];
        to = new int[model.sections];
    }

    /** Finds all components; stops and returns true at one that is known to fail. */
    boolean findFailed(FailedStates failed) {
        int begin = 0;
        long sum = 0;
        for (int section = 0; section < model.sections; section++) {
            if (skyline.waiting[section] == 0) {
                begin = section + 1;
                continue;
            }
            sum += hashOf(section);
            if (!skyline.joined(section + 1)) {
                if (failed.contains(sum)) {
                    failedHash = sum;
                    return true;
                }
                for (int at = begin; at <= section; at++) {
                    hash[at] = sum;
                    from[at] = begin;
                    to[at] = section + 1;
                }
                begin = section + 1;
                sum = 0;
            }
        }
        return false;
    }

    /** By section, the groups of starting buffers with the same lifetime: only these can be out of order. */
    private int[][][] startingGroups() {
        int[][][] groups = new int[model.sections][][];
        for (int section = 0; section < groups.length; section++) {
            groups[section] = Arrays.stream(model.starting[section])
                    .boxed()
                    .collect(Collectors.groupingBy(buffer -> model.end[buffer], TreeMap::new, Collectors.toList()))
                    .values()
                    .stream()
                    .filter(group -> group.size() > 1)
                    .map(group -> group.stream().mapToInt(Integer::intValue).toArray())
                    .toArray(int[][]::new);
        }
        return groups;
    }

    private long hashOf(int section) {
        if (seenAt[section] < skyline.changed[section]) {
            seenAt[section] = skyline.clock();
            seenHash[section] = floorAndWaiting(section);
        }
        long sum = seenHash[section];
        int below = skyline.top[section];
        for (int[] group : startingGroups[section]) {
            if (below >= 0 && model.sameLifetime(below, group[0])) {
                for (int buffer : group) {
                    if (!skyline.placed[buffer] && candidates.isOutOfOrder(buffer)) {
                        sum += FailedStates.mix(waitingHash[buffer] + waitingHash[below]);
                    }
                }
            }
        }
        return sum;
    }

    private long floorAndWaiting(int section) {
        // The depth of a hole matters only up to the coarsest alignment: no buffer could move further down.
        long hole = Math.min(skyline.floor[section] - skyline.solid[section], model.coarsestAlignment);
        long sum = FailedStates.mix(skyline.floor[section] + SPREAD * (section + 1)) + SPREAD * hole * (section + 1);
        for (int buffer : model.starting[section]) {
            sum += skyline.placed[buffer] ? 0 : waitingHash[buffer];
        }
        return sum;
    }

    /** The hash of the component that is known to fail. */
    long failedHash() {
        return failedHash;
    }

    /** The hash of the component of a section. */
    long hash(int section) {
        return hash[section];
    }

    /** Where the component of a section begins. */
    int from(int section) {
        return from[section];
    }

    /** Where it ends. */
    int to(int section) {
        return to[section];
    }
}
