package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.attention.AttentionScoreKernels;
import dev.stowage.cpu.kernel.attention.AttentionTileKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.program.Scratch;

/**
 * Some queries of a group of heads and what one thread has for working on them. Every row (a query of a head) has a lane:
 * queries are transposed when work begins and means when it ends, and in between all goes by whole vectors, as keys and
 * values are read number by number in the order in which they are stored.
 *
 * <pre>
 *   queries   [panel][key size][rows]        a panel is 4, 2 or 1 vectors of rows
 *   scores    [panel][cell][rows]            of one block of cells, then their weights
 *   means     [panel][value size][rows]
 * </pre>
 *
 * With a vector's worth of queries or more, a vector holds neighbouring queries of one head, for which masks are alike;
 * fewer queries share vectors with those of other heads.
 */
final class QueryBlock {

    /** The cells of a block: a number of whole tiles whose weights stay in the first cache. */
    static final int CELLS = 96;

    private static final int LANES = FloatTileKernels.LANES;
    private static final long VECTOR = LANES * 4L;

    private final AttentionOperands attention;
    private final QueryBlockSize size;
    private final Scratch scratch;
    private final int thread;
    private final BlockMask mask;
    private final QueryLanes queryLanes;
    private final QueryLanes meanLanes;

    private long state;
    private long batch;
    private long head;
    private int query;
    private int queries;
    private int vectors;
    private boolean aligned;
    private int firstCell;
    private boolean finite;

    QueryBlock(AttentionOperands attention, QueryBlockSize size, Scratch scratch, int thread) {
        this.attention = attention;
        this.size = size;
        this.scratch = scratch;
        this.thread = thread;
        this.mask = new BlockMask(attention, size);
        this.queryLanes = new QueryLanes(attention.keySize);
        this.meanLanes = new QueryLanes(attention.valueSize);
    }

    private long at(long offset) {
        return scratch.address(thread) + offset;
    }

    /** The address of this thread's own state. */
    long ownState() {
        return at(0);
    }

    /** Takes up an item, with a state at an address. */
    void take(int item, long newState) {
        long groups = attention.groups();
        // Later queries see more cells under a causal mask, and the longest work is best begun first.
        int block = size.blocks() - 1 - (int) (item / groups);
        long perBatch = attention.heads / attention.shared;
        state = newState;
        batch = item % groups / perBatch;
        head = item % groups % perBatch * attention.shared;
        query = block * size.queries();
        queries = Math.min(size.queries(), attention.queries - query);
        aligned = queries >= LANES;
        int lanes = aligned ? Math.ceilDiv(queries, LANES) * LANES * attention.shared : queries * attention.shared;
        vectors = Math.ceilDiv(lanes, LANES);
        mask.take(batch, head, query, queries);
    }

    /** The lane of query {@code i} of head {@code h} of the group. */
    int row(int h, int i) {
        return aligned ? (i / LANES * attention.shared + h) * LANES + i % LANES : h * queries + i;
    }

    /** The first vector of the panel that a vector is in. */
    private int panel(int vector) {
        int whole = vectors - vectors % FloatTileKernels.WIDEST;
        if (vector < whole) {
            return vector - vector % FloatTileKernels.WIDEST;
        }
        return vectors - whole >= 2 && vector - whole < 2 ? whole : vector;
    }

    /** How many vectors the panel that begins with a vector has. */
    private int width(int vector) {
        int left = vectors - vector;
        return left >= FloatTileKernels.WIDEST ? FloatTileKernels.WIDEST : left >= 2 ? 2 : 1;
    }

    private long maxima() {
        return state + (long) size.valueSize() * size.rows() * 4;
    }

    private long sums() {
        return maxima() + size.rows() * 4L;
    }

    /** Fetches the queries and clears the state. */
    void begin() {
        PanelKernels.zero(state, (long) size.valueSize() * size.rows());
        PanelKernels.zero(sums(), size.rows());
        for (int row = 0; row < size.rows(); row++) {
            Memory.setFloat(maxima() + row * 4L, Float.NEGATIVE_INFINITY);
        }
        PanelKernels.zero(at(size.queriesAt()), (long) size.keySize() * size.rows());
        for (int h = 0; h < attention.shared; h++) {
            float slope = attention.slope(head + h);
            for (int i = 0; i < queries; i++) {
                Memory.setFloat(at(size.slopesAt()) + row(h, i) * 4L, slope);
            }
            for (int i = 0; i < queries; i += together(i)) {
                pack(h, i);
            }
        }
    }

    /** Queries from one on that have neighbouring lanes of one vector. */
    private int together(int i) {
        return aligned ? Math.min(LANES, queries - i) : 1;
    }

    private void pack(int h, int i) {
        int row = row(h, i);
        int panel = panel(row / LANES);
        queryLanes.pack(
                attention.query(query + i, head + h, batch),
                attention.q.s1,
                together(i),
                attention.scale,
                at(size.factorsAt()),
                at(size.queriesAt()) + panel * VECTOR * size.keySize() + (row - panel * LANES) * 4L,
                width(panel) * VECTOR);
    }

    /** Lets the queries see a range of cells. */
    void attend(int from, int to) {
        for (int cell = from; cell < to; cell += CELLS) {
            attendBlock(cell, Math.min(CELLS, to - cell));
        }
    }

    private void attendBlock(int cell, int cells) {
        mask.look(cell, cells);
        int from = mask.first(0, vectors);
        int to = mask.end(0, vectors);
        if (from >= to) {
            return;
        }
        firstCell = cell;
        decode(from, to);
        int width;
        for (int vector = 0; vector < vectors; vector += width) {
            width = width(vector);
            int panelFrom = mask.first(vector, width);
            int panelTo = mask.end(vector, width);
            if (panelFrom < panelTo) {
                attendPanel(vector, width, panelFrom, panelTo);
            }
        }
    }

    private void decode(int from, int to) {
        decodeKeys(from, to);
        decodeValues(from, to);
        long values = at(size.valuesAt()) + from * size.valueStride();
        finite = AttentionScoreKernels.areFinite(values, size.valueStride(), to - from, attention.valueSize);
    }

    private void decodeKeys(int from, int to) {
        long keys = attention.key(firstCell + from, head, batch);
        long stride = size.keyStride();
        attention.keys.decode(
                keys, attention.k.s1, at(size.keysAt()) + from * stride, stride, to - from, CELLS * attention.k.s1);
    }

    private void decodeValues(int from, int to) {
        long values = attention.value(firstCell + from, head, batch);
        long stride = size.valueStride();
        attention.values.decode(
                values, attention.v.s1, at(size.valuesAt()) + from * stride, stride, to - from, CELLS * attention.v.s1);
    }

    private void attendPanel(int vector, int width, int from, int to) {
        long stride = width * VECTOR;
        int cells = to - from;
        long scores = at(size.scoresAt()) + vector * VECTOR * (CELLS + FloatTileKernels.ROWS);
        score(vector, width, from, cells, scores);
        long means = state + vector * VECTOR * size.valueSize();
        for (int i = 0; i < width; i++) {
            weigh(vector + i, scores + i * VECTOR, means + i * VECTOR, stride, from, to);
        }
        long values = at(size.valuesAt()) + from * size.valueStride();
        if (finite) {
            for (int i = 0; i < size.valueSize(); i += AttentionTileKernels.COLUMNS) {
                AttentionTileKernels.tile(
                        width, values + i * 4L, size.valueStride(), scores, cells, means + i * stride);
            }
        } else {
            AttentionTileKernels.sparse(
                    width * LANES, values, size.valueStride(), scores, cells, means, attention.valueSize);
        }
    }

    /** Converts a vector's scores into weights, and makes smaller what earlier cells gave where there is a larger score. */
    private void weigh(int vector, long scores, long means, long stride, int from, int to) {
        if (attention.cap != 0) {
            AttentionScoreKernels.bound(scores, stride, to - from, attention.cap);
        }
        mask.addTo(scores, stride, vector, from, to, at(0), this);
        long max = maxima() + vector * VECTOR;
        long factor = at(size.factorsAt()) + vector * VECTOR;
        if (AttentionScoreKernels.largest(scores, stride, to - from, max, factor)) {
            AttentionScoreKernels.scale(means, stride, attention.valueSize, factor);
        }
        AttentionScoreKernels.weigh(scores, stride, to - from, max, factor, sums() + vector * VECTOR);
    }

    private void score(int vector, int width, int from, int cells, long scores) {
        long packed = at(size.queriesAt()) + vector * VECTOR * size.keySize();
        int whole = Math.ceilDiv(cells, FloatTileKernels.ROWS) * FloatTileKernels.ROWS;
        PanelKernels.zero(scores, (long) whole * width * LANES);
        for (int cell = 0; cell < whole; cell += FloatTileKernels.ROWS) {
            FloatTileKernels.tile(
                    width,
                    at(size.keysAt()) + (from + cell) * size.keyStride(),
                    size.keyStride(),
                    packed,
                    size.keySize(),
                    scores + (long) cell * width * VECTOR);
        }
    }

    /** Adds what another range of cells gave. */
    void join(long other) {
        long own = at(size.scoresAt());
        long dropped = own + VECTOR;
        long kept = dropped + VECTOR;
        for (int vector = 0; vector < vectors; vector++) {
            long max = maxima() + vector * VECTOR;
            long sum = sums() + vector * VECTOR;
            long factor = at(size.factorsAt()) + vector * VECTOR;
            int panel = panel(vector);
            long stride = width(panel) * VECTOR;
            long means = state + panel * VECTOR * size.valueSize() + (vector - panel) * VECTOR;
            PanelKernels.copy(max - state + other, own, LANES);
            AttentionScoreKernels.largest(own, VECTOR, 1, max, factor);
            PanelKernels.copy(factor, kept, LANES);
            AttentionScoreKernels.weigh(own, VECTOR, 1, max, factor, dropped);
            AttentionScoreKernels.join(means, means - state + other, stride, attention.valueSize, kept, own);
            AttentionScoreKernels.join(sum, sum - state + other, VECTOR, 1, kept, own);
        }
    }

    /** Writes the means out. */
    void finish() {
        for (int h = 0; h < attention.shared; h++) {
            for (int i = 0; i < queries; i++) {
                int row = row(h, i);
                float max = Memory.getFloat(maxima() + row * 4L);
                float sum = Memory.getFloat(sums() + row * 4L);
                Memory.setFloat(at(size.factorsAt()) + row * 4L, attention.share(head + h, max, sum));
            }
            for (int i = 0; i < queries; i += together(i)) {
                unpack(h, i);
            }
        }
    }

    private void unpack(int h, int i) {
        int row = row(h, i);
        int panel = panel(row / LANES);
        meanLanes.unpack(
                state + panel * VECTOR * size.valueSize() + (row - panel * LANES) * 4L,
                width(panel) * VECTOR,
                together(i),
                at(size.factorsAt()) + row * 4L,
                attention.mean(query + i, head + h, batch),
                attention.result.s2);
    }
}
