package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A part of a problem that can be packed independently: all buffers of a time range whose bounds no buffer spans. The
 * height of the whole is that of its highest part.
 */
final class Subproblem {

    private final Problem problem;
    private final int[] members;

    private Subproblem(Problem problem, int[] members) {
        this.problem = problem;
        this.members = members;
    }

    /** The buffers of the part, with their own indices. */
    Problem problem() {
        return problem;
    }

    /** How many buffers it has. */
    int count() {
        return members.length;
    }

    /** The index of a buffer of the part in the whole. */
    int member(int index) {
        return members[index];
    }

    /** The parts of a problem, the highest lower bound first. Empty buffers are in none. */
    static List<Subproblem> of(Problem whole) {
        TimeSections timeSections = new TimeSections(whole);
        int[] partOfSection = partOfSection(whole, timeSections);
        int parts = timeSections.sections() == 0 ? 0 : partOfSection[timeSections.sections() - 1] + 1;
        List<ProblemBuilder> builders = new ArrayList<>();
        List<List<Integer>> members = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            builders.add(Problem.builder());
            members.add(new ArrayList<>());
        }
        for (int buffer = 0; buffer < whole.count(); buffer++) {
            if (whole.size(buffer) > 0) {
                int part = partOfSection[timeSections.first(buffer)];
                copy(whole, buffer, builders.get(part));
                members.get(part).add(buffer);
            }
        }
        return sortedByLoad(builders, members);
    }

    private static List<Subproblem> sortedByLoad(List<ProblemBuilder> builders, List<List<Integer>> members) {
        List<Subproblem> found = new ArrayList<>();
        for (int part = 0; part < builders.size(); part++) {
            found.add(new Subproblem(
                    builders.get(part).build(),
                    members.get(part).stream().mapToInt(Integer::intValue).toArray()));
        }
        long[] loads =
                found.stream().mapToLong(part -> LowerBound.of(part.problem)).toArray();
        return Arrays.stream(IndexSort.descending(loads)).mapToObj(found::get).toList();
    }

    private static int[] partOfSection(Problem whole, TimeSections timeSections) {
        int[] spanning = new int[timeSections.sections() + 1];
        for (int buffer = 0; buffer < whole.count(); buffer++) {
            if (timeSections.end(buffer) > timeSections.first(buffer)) {
                spanning[timeSections.first(buffer) + 1]++;
                spanning[timeSections.end(buffer)]--;
            }
        }
        int[] part = new int[timeSections.sections()];
        int live = 0;
        for (int section = 1; section < part.length; section++) {
            live += spanning[section];
            part[section] = part[section - 1] + (live == 0 ? 1 : 0);
        }
        return part;
    }

    private static void copy(Problem whole, int buffer, ProblemBuilder into) {
        if (whole.isFixed(buffer)) {
            into.addFixed(
                    whole.id(buffer),
                    whole.from(buffer),
                    whole.to(buffer),
                    whole.size(buffer),
                    whole.alignment(buffer),
                    whole.fixedOffsetOrNone(buffer));
        } else {
            into.addAligned(
                    whole.id(buffer),
                    whole.from(buffer),
                    whole.to(buffer),
                    whole.size(buffer),
                    whole.alignment(buffer));
        }
    }
}
