package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.attention.AttentionPanelKernels;
import dev.stowage.cpu.kernel.attention.AttentionRowKernels;
import dev.stowage.cpu.kernel.attention.IndexerKernels;
import dev.stowage.cpu.kernel.codec.HalfKernels;
import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;

/**
 * LIGHTNING_INDEXER: the score of each key for each token. A piece is some tokens and a range of keys; lanes are heads, so
 * the product of a token's queries with the keys is the same as in {@link QueryBlock}. Rows with gaps between elements
 * stay with the reference.
 */
final class IndexerOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand k = node.operand(1);
        if (!node.operand(0).hasDenseRows()
                || !FloatSource.takes(k)
                || !k.hasDenseRows()
                || !node.operand(3).hasDenseRows()
                || !node.result().isContiguous()) {
            return false;
        }
        node.add(new Index(node));
        return true;
    }

    private static final class Index extends ParallelTask {

        private static final int LANES = FloatTileKernels.LANES;
        private static final long VECTOR = LANES * 4L;

        /** Keys that are decoded together. */
        private static final int KEYS = 96;

        private static final int KEYS_PER_PIECE = 4 * KEYS;
        private static final int TOKENS_PER_PIECE = 8;

        private final Operand q;
        private final Operand k;
        private final Operand weights;
        private final Operand mask;
        private final Operand result;
        private final RowDecoder decoder;
        private final int size;
        private final int vectors;
        private final long keyStride;
        private final Scratch scratch;

        Index(NodeBuilder node) {
            super(Math.toIntExact(keyRanges(node.operand(1)) * tokenRanges(node.operand(0)) * node.operand(0).d3));
            this.q = node.operand(0);
            this.k = node.operand(1);
            this.weights = node.operand(2);
            this.mask = node.operand(3);
            this.result = node.result();
            this.decoder = RowDecoder.of(k.type);
            this.size = Math.toIntExact(q.d0);
            this.vectors = Math.toIntExact(Math.ceilDiv(q.d1, LANES));
            this.keyStride = (Math.ceilDiv(size, 16) | 1) * 64L;
            this.scratch = node.scratchPerThread(maskAt() + KEYS * 4L);
        }

        private static long keyRanges(Operand k) {
            return Math.ceilDiv(k.d2, KEYS_PER_PIECE);
        }

        private static long tokenRanges(Operand q) {
            return Math.ceilDiv(q.d2, TOKENS_PER_PIECE);
        }

        /** After the packed queries of the tokens. */
        private long weightsAt() {
            return (long) TOKENS_PER_PIECE * vectors * VECTOR * size;
        }

        private long matchesAt() {
            return weightsAt() + (long) TOKENS_PER_PIECE * vectors * VECTOR;
        }

        private long sumsAt() {
            return matchesAt() + (long) KEYS * FloatTileKernels.WIDEST * VECTOR;
        }

        private long keysAt() {
            return sumsAt() + KEYS * VECTOR;
        }

        private long maskAt() {
            return keysAt() + KEYS * keyStride;
        }

        /** How many vectors of heads go together from one on. */
        private int width(int vector) {
            int left = vectors - vector;
            return left >= FloatTileKernels.WIDEST ? FloatTileKernels.WIDEST : left >= 2 ? 2 : 1;
        }

        @Override
        public void run(int piece, int thread) {
            long base = scratch.address(thread);
            long firstKey = piece % keyRanges(k) * KEYS_PER_PIECE;
            long tokens = piece / keyRanges(k);
            long batch = tokens / tokenRanges(q);
            long firstToken = tokens % tokenRanges(q) * TOKENS_PER_PIECE;
            int count = (int) Math.min(TOKENS_PER_PIECE, q.d2 - firstToken);
            PanelKernels.zero(base, matchesAt() / 4);
            for (int i = 0; i < count; i++) {
                pack(base, i, firstToken + i, batch);
            }
            long end = Math.min(k.d2, firstKey + KEYS_PER_PIECE);
            for (long key = firstKey; key < end; key += KEYS) {
                int keys = (int) Math.min(KEYS, end - key);
                for (int i = 0; i < keys; i++) {
                    decoder.decode(k.at(0, key + i, batch), base + keysAt() + i * keyStride, size);
                }
                for (int i = 0; i < count; i++) {
                    score(base, i, keys);
                    write(base, key, keys, firstToken + i, batch);
                }
            }
        }

        private void pack(long base, int token, long at, long batch) {
            int width;
            for (int vector = 0; vector < vectors; vector += width) {
                width = width(vector);
                long panel = base + ((long) token * vectors + vector) * VECTOR * size;
                for (int lane = 0; lane < width * LANES && vector * LANES + lane < q.d1; lane++) {
                    int head = vector * LANES + lane;
                    AttentionPanelKernels.pack(q.at(head, at, batch), size, 1, panel + lane * 4L, width * VECTOR);
                    float weight = Memory.getFloat(weights.at(at, 0, batch) + head * weights.s0);
                    Memory.setFloat(base + weightsAt() + ((long) token * vectors * LANES + head) * 4, weight);
                }
            }
        }

        private void score(long base, int token, int keys) {
            int whole = Math.ceilDiv(keys, FloatTileKernels.ROWS) * FloatTileKernels.ROWS;
            PanelKernels.zero(base + sumsAt(), (long) KEYS * LANES);
            int width;
            for (int vector = 0; vector < vectors; vector += width) {
                width = width(vector);
                long panel = base + ((long) token * vectors + vector) * VECTOR * size;
                long matches = base + matchesAt();
                PanelKernels.zero(matches, (long) whole * width * LANES);
                for (int key = 0; key < whole; key += FloatTileKernels.ROWS) {
                    FloatTileKernels.tile(
                            width,
                            base + keysAt() + key * keyStride,
                            keyStride,
                            panel,
                            size,
                            matches + (long) key * width * VECTOR);
                }
                long weight = base + weightsAt() + ((long) token * vectors + vector) * VECTOR;
                IndexerKernels.addMatches(matches, width, keys, weight, base + sumsAt());
            }
        }

        private void write(long base, long key, int keys, long token, long batch) {
            long sums = base + sumsAt();
            long to = result.at(token, 0, batch) + key * 4;
            IndexerKernels.fold(sums, Math.ceilDiv(keys, LANES) * LANES, sums);
            HalfKernels.toFloats(mask.repeated(token, 0, batch) + key * 2, base + maskAt(), keys);
            AttentionRowKernels.add(base + maskAt(), 1, sums, keys);
            PanelKernels.copy(sums, to, keys);
        }
    }
}
