package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.error.AccessException;

/**
 * Which columns each expert is to be multiplied with. The ids are data, so the lists are made when the graph runs, in
 * memory set aside for the most there can be; nodes with the same ids share them. A column is known by its number among
 * all ids: those of the first token come first.
 *
 * <pre>
 *   called │ first[0 .. experts] │ expert[0 .. called) │ next[0 .. experts) │ packed[0 .. called] │ columns by expert
 * </pre>
 */
final class ExpertLists {

    /** From how many columns on an expert is better multiplied in tiles. */
    static final int COLUMNS_FOR_TILES = 4;

    private final int experts;
    private final Scratch ints;

    private ExpertLists(int experts, Scratch ints) {
        this.experts = experts;
        this.ints = ints;
    }

    /** The lists of a node with matrices in slot 0 and ids in slot 2. */
    static ExpertLists of(NodeBuilder node) {
        Operand ids = node.operand(2);
        int experts = Math.toIntExact(node.operand(0).d2);
        int columns = Math.toIntExact(ids.elements());
        return new ExpertLists(
                experts,
                node.derived(
                        2,
                        "columns of " + experts + " experts",
                        (3L + 4L * experts + columns) * Integer.BYTES,
                        target -> new Filling(ids, new ExpertLists(experts, target))));
    }

    /** How many experts have any columns. */
    int called() {
        return Memory.getInt(ints.address());
    }

    /** The number of an expert that has columns, in the order of the matrices. */
    int expert(int index) {
        return Memory.getInt(expertAt() + (long) index * Integer.BYTES);
    }

    /** How many columns an expert has. */
    int count(int index) {
        return firstOf(expert(index) + 1) - first(index);
    }

    /** How many columns the experts before have together. */
    int first(int index) {
        return firstOf(expert(index));
    }

    /** A column of an expert. */
    int column(int index, int i) {
        return Memory.getInt(columnsAt() + (long) (first(index) + i) * Integer.BYTES);
    }

    /** How many vectors of packed columns come before those of an expert; for the number after the last, all. */
    int packed(int index) {
        return Memory.getInt(packedAt() + (long) index * Integer.BYTES);
    }

    /** The most vectors of packed columns that there can be. */
    static long mostPacked(long columns, long experts) {
        long inTiles = Math.min(experts, columns / COLUMNS_FOR_TILES);
        return columns / FloatTileKernels.LANES + inTiles;
    }

    private int firstOf(int expert) {
        return Memory.getInt(firstAt() + (long) expert * Integer.BYTES);
    }

    private long firstAt() {
        return ints.address() + Integer.BYTES;
    }

    private long expertAt() {
        return firstAt() + (experts + 1L) * Integer.BYTES;
    }

    private long nextAt() {
        return expertAt() + (long) experts * Integer.BYTES;
    }

    private long packedAt() {
        return nextAt() + (long) experts * Integer.BYTES;
    }

    private long columnsAt() {
        return packedAt() + (experts + 1L) * Integer.BYTES;
    }

    /** Counts, then lists. */
    private static final class Filling extends ParallelTask {

        private final Operand ids;
        private final ExpertLists lists;

        Filling(Operand ids, ExpertLists lists) {
            super(1);
            this.ids = ids;
            this.lists = lists;
        }

        @Override
        public void run(int piece, int thread) {
            count();
            int called = 0;
            int columns = 0;
            int packed = 0;
            for (int expert = 0; expert < lists.experts; expert++) {
                int count = Memory.getInt(next(expert));
                Memory.setInt(lists.firstAt() + (long) expert * Integer.BYTES, columns);
                Memory.setInt(next(expert), columns);
                if (count > 0) {
                    Memory.setInt(lists.expertAt() + (long) called * Integer.BYTES, expert);
                    Memory.setInt(lists.packedAt() + (long) called * Integer.BYTES, packed);
                    packed += count < COLUMNS_FOR_TILES ? 0 : Math.ceilDiv(count, FloatTileKernels.LANES);
                    called++;
                }
                columns += count;
            }
            Memory.setInt(lists.firstAt() + (long) lists.experts * Integer.BYTES, columns);
            Memory.setInt(lists.packedAt() + (long) called * Integer.BYTES, packed);
            Memory.setInt(lists.ints.address(), called);
            list();
        }

        private void count() {
            for (int expert = 0; expert < lists.experts; expert++) {
                Memory.setInt(next(expert), 0);
            }
            for (long token = 0; token < ids.d1; token++) {
                for (long i = 0; i < ids.d0; i++) {
                    int id = id(i, token);
                    if (id < 0 || id >= lists.experts) {
                        throw new AccessException("id " + i + " of token " + token + " is " + id
                                + ", and there are matrices 0 to " + (lists.experts - 1));
                    }
                    Memory.setInt(next(id), Memory.getInt(next(id)) + 1);
                }
            }
        }

        private void list() {
            int column = 0;
            for (long token = 0; token < ids.d1; token++) {
                for (long i = 0; i < ids.d0; i++) {
                    long next = next(id(i, token));
                    int at = Memory.getInt(next);
                    Memory.setInt(lists.columnsAt() + (long) at * Integer.BYTES, column);
                    Memory.setInt(next, at + 1);
                    column++;
                }
            }
        }

        private int id(long i, long token) {
            return Memory.getInt(ids.at(token, 0, 0) + i * ids.s0);
        }

        private long next(int expert) {
            return lists.nextAt() + (long) expert * Integer.BYTES;
        }
    }
}
