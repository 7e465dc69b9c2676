package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.attention.AttentionMaskKernels;
import dev.stowage.cpu.kernel.attention.AttentionScoreKernels;
import dev.stowage.cpu.kernel.codec.HalfKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.op.operand.RowBlockDecoder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * What the mask says about a {@link QueryBlock} and a block of cells: which cells are seen at all, and whether a mask
 * has to be added to scores. It is classified in spans: a vector's worth of queries if heads share the mask, else
 * everything. Only where it has to be added is it transposed, as scores have a row per lane.
 */
final class BlockMask {

    private static final int LANES = FloatTileKernels.LANES;

    private final AttentionOperands attention;
    private final QueryBlockSize size;
    private final @Nullable Operand mask;
    private final int maskedHeads;
    private final int[] first;
    private final int[] end;
    private final boolean[] spread;
    private final RowBlockDecoder halves;
    private final QueryLanes lanes;

    private long batch;
    private long head;
    private int query;
    private int queries;
    private boolean byQueries;
    private int spans;
    private int cell;
    private int cells;

    /** The span and cells whose rows were last asked about, and what was found: vectors of one panel ask the same. */
    private int openSpan;

    private int openFrom;
    private int openTo;
    private boolean isOpen;

    BlockMask(AttentionOperands attention, QueryBlockSize size) {
        this.attention = attention;
        this.size = size;
        this.mask = attention.mask;
        this.maskedHeads = attention.hasMaskPerHead() ? attention.shared : 1;
        int most = Math.ceilDiv(size.queries(), LANES);
        this.first = new int[most];
        this.end = new int[most];
        this.spread = new boolean[most];
        this.halves = RowBlockDecoder.of(ElementType.F16, QueryBlock.CELLS);
        this.lanes = new QueryLanes(QueryBlock.CELLS);
    }

    /** Takes up a block of queries. */
    void take(long newBatch, long newHead, int newQuery, int newQueries) {
        batch = newBatch;
        head = newHead;
        query = newQuery;
        queries = newQueries;
        byQueries = queries >= LANES && !attention.hasMaskPerHead();
        spans = byQueries ? Math.ceilDiv(queries, LANES) : 1;
    }

    /** Looks at a block of cells. */
    void look(int newCell, int newCells) {
        cell = newCell;
        cells = newCells;
        openSpan = -1;
        for (int span = 0; span < spans; span++) {
            spread[span] = false;
            first[span] = mask == null ? 0 : cells;
            end[span] = mask == null ? cells : 0;
            if (mask != null) {
                find(mask, span);
            }
        }
    }

    private void find(Operand from, int span) {
        for (int h = 0; h < maskedHeads; h++) {
            long at = row(from, span, h);
            first[span] = AttentionMaskKernels.first(at, from.s1, rows(span), first[span]);
            int known = Math.max(first[span], end[span]);
            end[span] = AttentionMaskKernels.end(at, from.s1, rows(span), known, cells);
        }
        if (first[span] >= end[span]) {
            first[span] = cells;
            end[span] = 0;
        }
    }

    private int spanOf(int vector) {
        return byQueries ? vector / attention.shared : 0;
    }

    private int rows(int span) {
        return byQueries ? Math.min(LANES, queries - span * LANES) : queries;
    }

    private long row(Operand from, int span, int h) {
        return AttentionOperands.maskRow(from, query + span * LANES, head + h, batch) + cell * 2L;
    }

    /** The first cell that a row of some vectors sees; not before the end if there is none. */
    int first(int vector, int vectors) {
        int found = cells;
        for (int span = spanOf(vector); span <= spanOf(vector + vectors - 1); span++) {
            found = Math.min(found, first[span]);
        }
        return found;
    }

    /** The cell after the last that a row of some vectors sees. */
    int end(int vector, int vectors) {
        int found = 0;
        for (int span = spanOf(vector); span <= spanOf(vector + vectors - 1); span++) {
            found = Math.max(found, end[span]);
        }
        return found;
    }

    /**
     * Adds the mask to a vector's scores of cells from {@code from} on and before {@code to}, if it changes any.
     *
     * @param scores the first of them, with others at a stride
     * @param scratch the memory of the block of queries
     * @param rows gives rows their lanes
     */
    void addTo(long scores, long stride, int vector, int from, int to, long scratch, QueryBlock rows) {
        int span = spanOf(vector);
        if (mask == null || isOpen(mask, span, from, to)) {
            return;
        }
        if (!spread[span]) {
            spread(mask, span, scratch, rows);
            spread[span] = true;
        }
        int lane = byQueries ? span * LANES : vector * LANES;
        long width = size.maskWidth() * 4L;
        AttentionScoreKernels.mask(
                scores,
                stride,
                to - from,
                scratch + size.maskAt() + from * width + lane * 4L,
                width,
                scratch + size.slopesAt() + (long) vector * LANES * 4);
    }

    private boolean isOpen(Operand from, int span, int fromCell, int toCell) {
        if (span == openSpan && fromCell == openFrom && toCell == openTo) {
            return isOpen;
        }
        isOpen = true;
        for (int h = 0; h < maskedHeads; h++) {
            long at = row(from, span, h) + fromCell * 2L;
            isOpen &= AttentionMaskKernels.isOpen(at, from.s1, rows(span), toCell - fromCell);
        }
        openSpan = span;
        openFrom = fromCell;
        openTo = toCell;
        return isOpen;
    }

    private void spread(Operand from, int span, long scratch, QueryBlock rows) {
        if (byQueries && rows(span) == LANES && cells == QueryBlock.CELLS) {
            long floats = scratch + size.maskRowAt();
            long rowBytes = QueryBlock.CELLS * 4L;
            halves.decode(row(from, span, 0), from.s1, floats, rowBytes, LANES, 0);
            long to = scratch + size.maskAt() + (long) span * LANES * 4;
            lanes.pack(floats, rowBytes, LANES, 1, scratch + size.factorsAt(), to, size.maskWidth() * 4L);
            return;
        }
        for (int h = 0; h < (byQueries ? 1 : attention.shared); h++) {
            for (int i = 0; i < rows(span); i++) {
                int lane = byQueries ? span * LANES + i : rows.row(h, i);
                long row = AttentionOperands.maskRow(from, query + span * LANES + i, head + h, batch) + cell * 2L;
                HalfKernels.toFloats(row, scratch + size.maskRowAt(), cells);
                AttentionMaskKernels.spread(
                        scratch + size.maskRowAt(), cells, scratch + size.maskAt() + lane * 4L, size.maskWidth() * 4L);
            }
        }
    }
}
