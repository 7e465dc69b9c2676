package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.Solution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Lowers a packing of many buffers where it is highest. The height is that of some buffer at some time, so only a window of
 * time around it is packed again: the buffers that are live in the window alone, around all others, which stay where they are.
 *
 * <pre>
 *      height ┄┄┄┄┄┄┄│┄┄┄┌──┐┄┄│┄┄┄┄┄
 *                    │   │  │◄─│───── the highest buffer
 *             ┌──┐   │ ┌─┴──┴┐ │
 *         ┌───┴──┴───│─┴┐    │ │┌────
 *         │     a    │  │    ├─│┴──    a and b are live outside of the window, too, and stay
 *         └──────────│──┴────┤b│
 *                     window
 * </pre>
 *
 * Where that does not help enough, the next window there is larger and has more steps. Some windows apart from each other are
 * packed at a time, by two threads. None depends on what happens in another, so the result is that of one thread.
 */
final class WindowRepair {

    private static final int LANES = 2;
    private static final int WINDOWS_AT_A_TIME = 6;
    private static final int FEWEST_BUFFERS = 150;

    /** A search of more buffers takes too long. */
    private static final int MOST_BUFFERS = 4000;

    /** Below the most bytes that a problem may have, so that no rounding matters. */
    private static final double MOST_BYTES = 0x1p60;

    private static final int STEPS_PER_BUFFER = 25;

    /** Every second effort doubles the buffers and the steps of a window; without success at the greatest it is given up. */
    private static final int GREATEST_EFFORT = 9;

    private static final byte GIVEN_UP = GREATEST_EFFORT + 1;

    /** A range of sections to pack again, the buffer that ends highest in it, and those that move and those that stay. */
    private static final class Window {

        private final int first;
        private final int end;
        private final int highest;
        private final int[] moving;
        private final int[] staying;

        Window(int first, int end, int highest, int[] moving, int[] staying) {
            this.first = first;
            this.end = end;
            this.highest = highest;
            this.moving = moving;
            this.staying = staying;
        }

        int count() {
            return moving.length + staying.length;
        }
    }

    /** What became of a window: a solution in which the buffers that move are first, if it was packed, and the steps. */
    private record Repair(Optional<Solution> solution, long steps) {}

    private final PackingRun run;
    private final Problem problem;
    private final TimeSections timeSections;
    private final LiveIndex index;
    private final HighestEnds highestEnds;
    private final long[] offsets;

    /** By buffer, the effort of the next window around it. */
    private final byte[] effort;

    /** Starts with the best packing of a run. */
    WindowRepair(PackingRun run) {
        this.run = run;
        this.problem = run.problem();
        this.timeSections = run.timeSections();
        this.index = new LiveIndex(timeSections, problem.count());
        this.offsets = run.best().offsets();
        this.effort = new byte[problem.count()];
        long[] ends = new long[offsets.length];
        Arrays.setAll(ends, this::end);
        this.highestEnds = new HighestEnds(timeSections, ends);
    }

    private long end(int buffer) {
        return problem.size(buffer) == 0 ? 0 : offsets[buffer] + problem.size(buffer);
    }

    /** Repairs until the run is done or the highest buffer cannot be lowered. */
    void work() {
        List<Window> windows = windows();
        while (!windows.isEmpty() && !run.isDone()) {
            Repair[] repairs = repairs(windows);
            for (int at = 0; at < repairs.length; at++) {
                take(windows.get(at), repairs[at]);
            }
            long steps = Arrays.stream(repairs).mapToLong(Repair::steps).sum();
            run.spend(steps);
            run.offer(offsets);
            windows = steps > 0 ? windows() : List.of();
        }
    }

    private void take(Window window, Repair repair) {
        long height = end(window.highest);
        int tried = effort[window.highest];
        long reached = repair.solution.map(Solution::height).orElse(Long.MAX_VALUE);
        for (int at = 0; at < window.moving.length; at++) {
            int buffer = window.moving[at];
            if (reached > target(height)) {
                effort[buffer] = (byte) Math.min(GREATEST_EFFORT, tried + 1);
            }
            if (reached < height) {
                offsets[buffer] = repair.solution.orElseThrow().offset(at);
                highestEnds.set(buffer, end(buffer));
            }
        }
        if (reached >= height && (tried == GREATEST_EFFORT || repair.solution.isEmpty())) {
            effort[window.highest] = GIVEN_UP;
        }
    }

    /** What a window should be lowered to: halfway to the goal. */
    private long target(long height) {
        return run.goal() + (height - run.goal()) / 2;
    }

    /** The window around the highest buffer, that around the highest apart from it, and so on. */
    private List<Window> windows() {
        List<Window> windows = new ArrayList<>();
        List<int[]> open = new ArrayList<>(List.of(new int[] {0, timeSections.sections()}));
        while (windows.size() < WINDOWS_AT_A_TIME && !open.isEmpty()) {
            int[] highest = open.stream()
                    .mapToInt(range -> highestEnds.highest(range[0], range[1]))
                    .toArray();
            int at = IntStream.range(0, highest.length)
                    .reduce((a, b) -> endOrNone(highest[b]) > endOrNone(highest[a]) ? b : a)
                    .orElseThrow();
            int[] range = open.remove(at);
            if (endOrNone(highest[at]) <= run.goal()
                    || effort[highest[at]] == GIVEN_UP
                    || timeSections.end(highest[at]) > range[1]) {
                return windows;
            }
            Window window = window(highest[at], range[0], range[1]);
            windows.add(window);
            open.add(new int[] {range[0], window.first});
            open.add(new int[] {window.end, range[1]});
        }
        return windows;
    }

    private long endOrNone(int buffer) {
        return buffer < 0 ? -1 : end(buffer);
    }

    /** The smallest of some windows around a buffer in which enough others move, between two sections. */
    private Window window(int buffer, int least, int most) {
        int wanted = Math.min(MOST_BUFFERS, FEWEST_BUFFERS << (effort[buffer] / 2));
        int margin = 1;
        while (true) {
            int first = Math.max(least, timeSections.first(buffer) - margin);
            int end = Math.min(most, timeSections.end(buffer) + margin);
            int[] live = index.live(first, end);
            int[] moving =
                    Arrays.stream(live).filter(each -> moves(each, first, end)).toArray();
            if (moving.length >= wanted || (first == least && end == most)) {
                int[] staying = Arrays.stream(live)
                        .filter(each -> !moves(each, first, end))
                        .toArray();
                return new Window(first, end, buffer, moving, staying);
            }
            margin *= 2;
        }
    }

    private boolean moves(int buffer, int first, int end) {
        return !problem.isFixed(buffer) && timeSections.first(buffer) >= first && timeSections.end(buffer) <= end;
    }

    private Repair[] repairs(List<Window> windows) {
        Repair[] repairs = new Repair[windows.size()];
        AtomicInteger next = new AtomicInteger();
        if (windows.size() < LANES) {
            repair(windows, next, repairs);
            return repairs;
        }
        CompletableFuture<Integer> other = HelperThread.start(() -> repair(windows, next, repairs));
        try {
            repair(windows, next, repairs);
        } finally {
            other.join();
        }
        return repairs;
    }

    /** Packs the next window until there is none; returns how many it has packed. */
    private int repair(List<Window> windows, AtomicInteger next, Repair[] repairs) {
        long share = run.stepsLeft() / windows.size();
        int packed = 0;
        for (int at = next.getAndIncrement(); at < repairs.length; at = next.getAndIncrement()) {
            repairs[at] = repair(windows.get(at), share);
            packed++;
        }
        return packed;
    }

    private Repair repair(Window window, long mostSteps) {
        long steps = Math.min(mostSteps, ((long) STEPS_PER_BUFFER * window.count()) << (effort[window.highest] / 2));
        // A run takes two steps for every buffer at least.
        if (window.count() > MOST_BUFFERS || steps < 2L * window.count() || bytes(window) > MOST_BYTES) {
            return new Repair(Optional.empty(), 0);
        }
        Budget budget =
                Budget.steps(steps).withCapacity(target(end(window.highest))).withCancel(run::timeIsUp);
        PackingRun part = new PackingRun(part(window), budget);
        AnytimePacker.search(part);
        return new Repair(Optional.of(part.best()), part.result().steps());
    }

    /** What the problem of a window adds up, in which those that stay count with their offsets. */
    private double bytes(Window window) {
        double bytes = 0;
        for (int buffer : window.moving) {
            bytes += (double) problem.size(buffer) + problem.alignment(buffer);
        }
        for (int buffer : window.staying) {
            bytes += (double) end(buffer) + 1;
        }
        return bytes;
    }

    /** The buffers of a window as a problem, those that move first. */
    private Problem part(Window window) {
        ProblemBuilder builder = Problem.builder();
        for (int buffer : window.moving) {
            builder.addAligned(
                    problem.from(buffer), problem.to(buffer), problem.size(buffer), problem.alignment(buffer));
        }
        for (int buffer : window.staying) {
            builder.addFixed(
                    problem.id(buffer),
                    problem.from(buffer),
                    problem.to(buffer),
                    problem.size(buffer),
                    offsets[buffer]);
        }
        return builder.build();
    }
}
