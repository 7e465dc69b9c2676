package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.Solution;
import java.util.Arrays;

/**
 * Buffers that are joined to larger ones: two of the same size in a row, where one ends as the other starts, or two of the
 * same lifetime in a stack. The first blocks are the buffers themselves, and those that are not part of another are active.
 *
 * <pre>
 *   ┌─────┬───┐                  ┌─────────┐
 *   │  a  │ b │  a row:          │    c    │  a stack: d is on c, and both are one block
 *   └─────┴───┘  one block       ├─────────┤  from now on
 *                                │    d    │
 *                                └─────────┘
 * </pre>
 */
final class Blocks {

    private final SearchModel model;

    /** The live range and size of every block. */
    final int[] first;

    final int[] end;
    final long[] size;

    /** By boundary of sections, the active blocks that end there, and those that start. */
    final int[][] ending;

    final int[][] starting;
    final int[] endingCount;
    final int[] startingCount;

    private final int[] one;
    private final int[] other;
    private final boolean[] isRow;
    private int count;
    private int active;

    Blocks(SearchModel model) {
        this.model = model;
        first = new int[2 * model.count];
        end = new int[2 * model.count];
        size = new long[2 * model.count];
        one = new int[2 * model.count];
        other = new int[2 * model.count];
        isRow = new boolean[2 * model.count];
        ending = new int[model.sections + 1][];
        starting = new int[model.sections + 1][];
        endingCount = new int[model.sections + 1];
        startingCount = new int[model.sections + 1];
        for (int buffer = 0; buffer < model.count; buffer++) {
            endingCount[model.end[buffer]]++;
            startingCount[model.first[buffer]]++;
        }
        Arrays.setAll(ending, at -> new int[endingCount[at]]);
        Arrays.setAll(starting, at -> new int[startingCount[at]]);
    }

    /** Makes every buffer a block of its own. */
    void reset() {
        count = model.count;
        active = model.count;
        System.arraycopy(model.first, 0, first, 0, count);
        System.arraycopy(model.end, 0, end, 0, count);
        System.arraycopy(model.size, 0, size, 0, count);
        Arrays.fill(endingCount, 0);
        Arrays.fill(startingCount, 0);
        for (int buffer = 0; buffer < count; buffer++) {
            activate(buffer);
        }
    }

    /** How many blocks are not part of another. */
    int active() {
        return active;
    }

    /** The last boundary: the number of sections. */
    int lastBoundary() {
        return model.sections;
    }

    /** Joins two blocks: one after the other in a row, or one upon the other in a stack. */
    void join(int a, int b, boolean inARow) {
        remove(a);
        remove(b);
        int block = count++;
        one[block] = a;
        other[block] = b;
        isRow[block] = inARow;
        first[block] = first[a];
        end[block] = end[b];
        size[block] = inARow ? size[a] : size[a] + size[b];
        activate(block);
        active--;
    }

    private void activate(int block) {
        ending[end[block]][endingCount[end[block]]++] = block;
        starting[first[block]][startingCount[first[block]]++] = block;
    }

    private void remove(int block) {
        endingCount[end[block]] = remove(ending[end[block]], endingCount[end[block]], block);
        startingCount[first[block]] = remove(starting[first[block]], startingCount[first[block]], block);
    }

    private static int remove(int[] list, int length, int block) {
        int at = 0;
        while (list[at] != block) {
            at++;
        }
        list[at] = list[length - 1];
        return length - 1;
    }

    /** The active blocks as a problem. */
    Problem problem() {
        ProblemBuilder builder = Problem.builder();
        for (int section = 0; section < model.sections; section++) {
            for (int index = 0; index < startingCount[section]; index++) {
                int block = starting[section][index];
                builder.add(first[block], end[block], size[block] * model.unit());
            }
        }
        return builder.build();
    }

    /** The solution of the buffers for one of the {@linkplain #problem() blocks}. */
    Solution solution(Solution ofBlocks) {
        long[] offsets = new long[model.count];
        int next = 0;
        for (int section = 0; section < model.sections; section++) {
            for (int index = 0; index < startingCount[section]; index++) {
                place(starting[section][index], ofBlocks.offset(next++) / model.unit(), offsets);
            }
        }
        return model.solution(offsets);
    }

    private void place(int block, long offset, long[] offsets) {
        if (block < model.count) {
            offsets[block] = offset;
            return;
        }
        place(one[block], offset, offsets);
        place(other[block], isRow[block] ? offset : offset + size[one[block]], offsets);
    }
}
