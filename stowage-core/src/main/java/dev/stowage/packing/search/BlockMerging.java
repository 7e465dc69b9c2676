package dev.stowage.packing.search;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Joins buffers of a problem without slack to {@link Blocks} that are probably so in a packing. At a boundary of sections,
 * what ends has the size of what starts; where nothing less than all of it is of equal size, all of it is contiguous, and
 * blocks of the same lifetime between two such boundaries can be stacked. Elsewhere equal sizes may be an accident, and
 * the joins that are least likely to be one are made first.
 *
 * <p>Every join makes others certain, so that a rectangle that was cut again and again can often be put together without a
 * search. A wrong join cannot be taken back; the next attempt makes others.
 */
final class BlockMerging {

    private static final double CERTAIN = 1e12;

    /** With more blocks on one side of a boundary it is not found out whether less than all of them is of equal size. */
    private static final int LARGEST_SUMS = 8;

    private final Blocks blocks;

    // By boundary: whether it has changed, whether all at it is contiguous, and the best join with its score.
    private final boolean[] changed;
    private final boolean[] contiguous;
    private final int[] bestOne;
    private final int[] bestOther;
    private final boolean[] bestIsRow;
    private final double[] bestScore;
    private final long[] sumsBefore = new long[1 << LARGEST_SUMS];
    private final long[] sumsAfter = new long[1 << LARGEST_SUMS];

    private SplittableRandom random = new SplittableRandom(0);
    private double noise;
    private long comparisons;

    BlockMerging(Blocks blocks) {
        this.blocks = blocks;
        int boundaries = blocks.lastBoundary() + 1;
        changed = new boolean[boundaries];
        contiguous = new boolean[boundaries];
        bestOne = new int[boundaries];
        bestOther = new int[boundaries];
        bestIsRow = new boolean[boundaries];
        bestScore = new double[boundaries];
    }

    /** The pairs and sums of blocks that were compared by the last merging. */
    long comparisons() {
        return comparisons;
    }

    /**
     * Joins what it can, from single buffers on.
     *
     * @param leastScore what a join needs at least; 0 for any
     * @param newNoise how much scores are changed at random, as a power of two; 0 for not at all
     */
    void merge(double leastScore, double newNoise, long seed) {
        random = new SplittableRandom(seed);
        noise = newNoise;
        comparisons = 0;
        blocks.reset();
        Arrays.fill(changed, true);
        int best = best(leastScore);
        while (best >= 0) {
            int one = bestOne[best];
            int other = bestOther[best];
            int[] boundaries = {blocks.first[one], blocks.end[one], blocks.first[other], blocks.end[other]};
            blocks.join(one, other, bestIsRow[best]);
            for (int boundary : boundaries) {
                touch(boundary);
            }
            best = best(leastScore);
        }
    }

    /** A join at a boundary depends on where its blocks end, too. */
    private void touch(int boundary) {
        changed[boundary] = true;
        for (int index = 0; index < blocks.endingCount[boundary]; index++) {
            changed[blocks.first[blocks.ending[boundary][index]]] = true;
        }
    }

    /** The boundary with the best join, or -1. */
    private int best(double leastScore) {
        int best = -1;
        double score = leastScore;
        for (int boundary = 0; boundary < bestScore.length; boundary++) {
            if (changed[boundary]) {
                refresh(boundary);
            }
            if (bestScore[boundary] > score) {
                score = bestScore[boundary];
                best = boundary;
            }
        }
        return best;
    }

    private void refresh(int boundary) {
        changed[boundary] = false;
        contiguous[boundary] = isContiguous(boundary);
        bestScore[boundary] = 0;
        for (int index = 0; index < blocks.startingCount[boundary]; index++) {
            int block = blocks.starting[boundary][index];
            for (int other = 0; other < blocks.endingCount[boundary]; other++) {
                int before = blocks.ending[boundary][other];
                if (blocks.size[before] == blocks.size[block]) {
                    propose(boundary, before, block, true, scoreOfRow(boundary, blocks.size[block]));
                }
            }
            for (int other = index + 1; other < blocks.startingCount[boundary]; other++) {
                int above = blocks.starting[boundary][other];
                if (blocks.end[above] == blocks.end[block]) {
                    propose(boundary, block, above, false, scoreOfStack(boundary, blocks.end[block]));
                }
            }
            comparisons += blocks.endingCount[boundary] + blocks.startingCount[boundary];
        }
    }

    private void propose(int boundary, int one, int other, boolean isRow, double score) {
        double changedScore =
                noise > 0 && score < CERTAIN ? score * Math.pow(2, noise * (2 * random.nextDouble() - 1)) : score;
        if (changedScore > bestScore[boundary]) {
            bestScore[boundary] = changedScore;
            bestOne[boundary] = one;
            bestOther[boundary] = other;
            bestIsRow[boundary] = isRow;
        }
    }

    /** Equal sizes are an accident the more often, the more pairs there are and the smaller the size is. */
    private double scoreOfRow(int boundary, long size) {
        int before = blocks.endingCount[boundary];
        int after = blocks.startingCount[boundary];
        if (before == 1 && after == 1) {
            return CERTAIN;
        }
        int same = Math.max(
                countOfSize(blocks.ending[boundary], before, size),
                countOfSize(blocks.starting[boundary], after, size));
        double accident = (double) before * after / (size + 1.0);
        return 1 / (accident + 4 * (1 - 1.0 / same) + 1e-6);
    }

    private int countOfSize(int[] list, int length, long size) {
        int found = 0;
        for (int index = 0; index < length; index++) {
            found += blocks.size[list[index]] == size ? 1 : 0;
        }
        return found;
    }

    /** Blocks of the same lifetime may have others between them, if not all at their ends is contiguous. */
    private double scoreOfStack(int first, int end) {
        if (changed[end]) {
            contiguous[end] = isContiguous(end);
        }
        double crowd = (contiguous[first] ? 0 : blocks.startingCount[first] + blocks.endingCount[first])
                + (contiguous[end] ? 0 : blocks.startingCount[end] + blocks.endingCount[end]);
        return crowd == 0 ? CERTAIN : 8 / crowd;
    }

    /** Whether all that ends and starts at a boundary must be contiguous. */
    private boolean isContiguous(int boundary) {
        int before = blocks.endingCount[boundary];
        int after = blocks.startingCount[boundary];
        if (before <= 1 || after <= 1) {
            return true;
        }
        if (before > LARGEST_SUMS || after > LARGEST_SUMS) {
            return false;
        }
        int countBefore = sums(blocks.ending[boundary], before, sumsBefore);
        int countAfter = sums(blocks.starting[boundary], after, sumsAfter);
        comparisons += countBefore + countAfter;
        // The first sum is that of nothing, and the last that of all.
        int at = 1;
        int other = 1;
        while (at < countBefore - 1 && other < countAfter - 1) {
            if (sumsBefore[at] == sumsAfter[other]) {
                return false;
            }
            if (sumsBefore[at] < sumsAfter[other]) {
                at++;
            } else {
                other++;
            }
        }
        return true;
    }

    /** The sizes of all subsets, ascending; returns how many there are. */
    private int sums(int[] list, int length, long[] into) {
        into[0] = 0;
        for (int index = 0; index < length; index++) {
            int known = 1 << index;
            for (int at = 0; at < known; at++) {
                into[known + at] = into[at] + blocks.size[list[index]];
            }
        }
        Arrays.sort(into, 0, 1 << length);
        return 1 << length;
    }
}
