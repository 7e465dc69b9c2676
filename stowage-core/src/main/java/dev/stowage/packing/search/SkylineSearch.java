package dev.stowage.packing.search;

import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Exact search for a packing within a capacity, from the bottom up; if it is exhausted, there is none.
 *
 * <p>Each step decides which buffer is on the floor of one section of one valley. "None" is an answer too: it raises
 * the floor over the hole to the lowest offset where a buffer can still start, at the cost of slack. Every packing that
 * is pushed down matches exactly one answer, so the search is complete and finds no packing twice.
 *
 * <pre>
 *                     ┌───┐                        ┌───┐                        ┌───┐
 *     ┌──┐            │   │        ┌──┐     ┌──┐   │   │        ┌──┐            │   │
 *     │  │    ?       │   │   ──►  │  ├─────┤  │   │   │   or   │  ├──┐         │   │   or  a hole: ░
 *     │  ├────────────┤   │        │  │  a  ├──┴───┤   │        │  │b │         │   │
 * </pre>
 *
 * It decides the section with the fewest answers first ({@link ValleyChoice}), jumps back over decisions that did not
 * contribute to a failure ({@link ConflictSets}), records failures ({@link FailedStates}), and skips symmetric packings
 * ({@link FloorCandidates}). Nothing is allocated once the arrays have grown.
 */
final class SkylineSearch {

    /** How a search ended. */
    enum Verdict {
        SOLVED,
        IMPOSSIBLE,
        GAVE_UP
    }

    private enum Node {
        OPEN,
        FAILED,
        SOLVED
    }

    private static final int STEPS_BETWEEN_LOOKS = 1024;
    private static final int NONE = -1;

    private final SearchModel model;
    private final Skyline skyline;
    private final FloorCandidates candidates;
    private final ValleyChoice choice;
    private final ConflictSets conflicts;
    private final Components components;
    private final HoleFloor holes;
    private final FailedStates failed;

    private boolean levelFirst;
    private long steps;

    // One entry per depth: the section and its valley, the answers not tried yet, and the current one.
    private int[] section = new int[256];
    private int[] left = new int[256];
    private int[] right = new int[256];
    private long[] level = new long[256];
    private int[] nextAnswer = new int[256];
    private int[] endAnswer = new int[256];
    private boolean[] holeTried = new boolean[256];
    private int[] chosen = new int[256];
    private long[] hash = new long[256];
    private int[] componentFrom = new int[256];
    private int[] componentTo = new int[256];
    private int[] answers = new int[1024];

    SkylineSearch(SearchModel model) {
        this.model = model;
        this.skyline = new Skyline(model);
        this.candidates = new FloorCandidates(model, skyline);
        this.choice = new ValleyChoice(model, skyline, candidates);
        this.conflicts = new ConflictSets(model.sections);
        this.components = new Components(model, skyline, candidates);
        this.failed = new FailedStates(model.count);
        this.holes = new HoleFloor(model, skyline, candidates);
    }

    /** Clears the failures of earlier runs. */
    void forget() {
        failed.clear();
    }

    /** The steps of the last run. */
    long steps() {
        return steps;
    }

    /** The solution of the last run, if it was solved. */
    Solution solution() {
        return model.solution(skyline.offset);
    }

    /**
     * Searches in a style, until a verdict, {@code maxFailures}, {@code maxSteps}, or {@code stop}.
     *
     * @param capacity in bytes
     */
    Verdict run(long capacity, SearchStyle style, long maxFailures, long maxSteps, BooleanSupplier stop) {
        long failures = 0;
        steps = 0;
        failed.prepare(capacity);
        if (!skyline.reset(capacity)) {
            steps = 1;
            return Verdict.IMPOSSIBLE;
        }
        candidates.order(style.ordered(model));
        choice.style(style.valleys());
        levelFirst = style.levelFirst();
        int depth = 0;
        Node node = open(depth);
        while (node != Node.SOLVED) {
            if (steps >= maxSteps || (steps % STEPS_BETWEEN_LOOKS == 0 && stop.getAsBoolean())) {
                return Verdict.GAVE_UP;
            }
            if (node == Node.FAILED) {
                remember(depth);
                if (depth == 0) {
                    return Verdict.IMPOSSIBLE;
                }
                if (++failures >= maxFailures) {
                    return Verdict.GAVE_UP;
                }
                depth--;
                if (!undo(depth)) {
                    continue;
                }
            }
            if (answer(depth)) {
                depth++;
                node = open(depth);
            } else {
                node = Node.FAILED;
            }
        }
        return Verdict.SOLVED;
    }

    /** Opens the next decision, unless the state is known to fail. */
    private Node open(int depth) {
        steps++;
        conflicts.clear(depth);
        ensureDepth(depth);
        componentTo[depth] = 0;
        if (components.findFailed(failed)) {
            long known = components.failedHash();
            conflicts.addRange(depth, failed.from(known), failed.to(known));
            return Node.FAILED;
        }
        if (!choice.choose()) {
            return Node.SOLVED;
        }
        int at = choice.section();
        section[depth] = at;
        left[depth] = choice.left();
        right[depth] = choice.right();
        level[depth] = skyline.floor[at];
        hash[depth] = components.hash(at);
        componentFrom[depth] = components.from(at);
        componentTo[depth] = components.to(at);
        holeTried[depth] = false;
        collectAnswers(depth);
        return Node.OPEN;
    }

    /** Lists the candidates, and records the sections that exclude the others. */
    private void collectAnswers(int depth) {
        int at = section[depth];
        int begin = left[depth];
        int end = right[depth];
        int answer = depth == 0 ? 0 : endAnswer[depth - 1];
        nextAnswer[depth] = answer;
        int[] live = candidates.live(at);
        if (answer + live.length > answers.length) {
            answers = Arrays.copyOf(answers, 2 * (answer + live.length));
        }
        conflicts.add(depth, at);
        for (int buffer : live) {
            if (skyline.placed[buffer]) {
                continue;
            }
            if (model.first[buffer] < begin) {
                conflicts.add(depth, begin - 1);
            } else if (model.end[buffer] > end) {
                conflicts.add(depth, end);
            } else if (candidates.isWorthTrying(buffer, level[depth])) {
                answers[answer++] = buffer;
            } else {
                conflicts.addRange(depth, model.first[buffer], model.end[buffer]);
            }
        }
        endAnswer[depth] = answer;
        if (levelFirst) {
            long leftWall = skyline.wall(begin - 1, begin);
            long rightWall = skyline.wall(end, end);
            LevelFirst.arrange(
                    model, answers, nextAnswer[depth], answer, begin, end, level[depth], leftWall, rightWall);
        }
    }

    /** Tries the next answer; returns false if there is none left. */
    private boolean answer(int depth) {
        while (nextAnswer[depth] < endAnswer[depth]) {
            int buffer = answers[nextAnswer[depth]++];
            if (leavesRoomForFixed(buffer, level[depth])) {
                skyline.place(buffer, level[depth]);
                chosen[depth] = buffer;
                return true;
            }
            conflicts.addRange(depth, model.first[buffer], model.end[buffer]);
        }
        if (holeTried[depth]) {
            return false;
        }
        holeTried[depth] = true;
        return leaveHole(depth);
    }

    private boolean leavesRoomForFixed(int buffer, long offset) {
        for (int other : model.fixedBuffers) {
            if (!skyline.placed[other]
                    && other != buffer
                    && model.first[other] < model.end[buffer]
                    && model.first[buffer] < model.end[other]
                    && offset + model.size[buffer] > model.fixed[other]) {
                return false;
            }
        }
        return true;
    }

    /** Raises the floor over a hole, if there is slack for it. */
    private boolean leaveHole(int depth) {
        int at = section[depth];
        // Without slack no hole is possible, because of this section alone.
        if (skyline.slack[at] == 0) {
            return false;
        }
        long raised = holes.above(at, left[depth], right[depth]);
        conflicts.addRange(depth, holes.reasonFrom(), holes.reasonTo());
        if (raised - level[depth] > skyline.slack[at]) {
            return false;
        }
        skyline.moveFloor(at, raised);
        chosen[depth] = NONE;
        return true;
    }

    /** Undoes the last answer; returns whether it contributed to the failure. */
    private boolean undo(int depth) {
        int buffer = chosen[depth];
        if (buffer == NONE) {
            skyline.moveFloor(section[depth], level[depth]);
            return conflicts.absorb(depth, section[depth], section[depth] + 1);
        }
        skyline.remove(buffer);
        return conflicts.absorb(depth, model.first[buffer], model.end[buffer]);
    }

    /** Records a failed component, if the conflict is within it. */
    private void remember(int depth) {
        if (componentTo[depth] > 0) {
            int from = conflicts.first(depth);
            int to = conflicts.end(depth);
            if (from >= componentFrom[depth] && to <= componentTo[depth]) {
                failed.add(hash[depth], from, to);
            }
        }
    }

    private void ensureDepth(int depth) {
        if (depth == section.length) {
            int room = 2 * depth;
            section = Arrays.copyOf(section, room);
            left = Arrays.copyOf(left, room);
            right = Arrays.copyOf(right, room);
            level = Arrays.copyOf(level, room);
            nextAnswer = Arrays.copyOf(nextAnswer, room);
            endAnswer = Arrays.copyOf(endAnswer, room);
            holeTried = Arrays.copyOf(holeTried, room);
            chosen = Arrays.copyOf(chosen, room);
            hash = Arrays.copyOf(hash, room);
            componentFrom = Arrays.copyOf(componentFrom, room);
            componentTo = Arrays.copyOf(componentTo, room);
        }
    }
}
