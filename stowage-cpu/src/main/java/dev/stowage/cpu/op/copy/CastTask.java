package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.kernel.copy.MoveKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;

/**
 * Converts rows of one type into rows of another by way of floats, a part of a row at a time so that the floats in
 * between stay in the L1 cache. Where a side is contiguous and f32, it is used directly.
 *
 * <pre>
 *   from ──► gathered ──► floats ──► encoded ──► to
 *      only if it has gaps            only if it has gaps
 * </pre>
 */
final class CastTask extends RangeTask {

    /** A multiple of the blocks of all types. */
    private static final int PART = 2048;

    private static final double NANOS_PER_ELEMENT = 0.3;

    private final StridedBlocks from;
    private final StridedBlocks to;
    private final int fromBlock;
    private final int toBlock;
    private final long length;
    private final long parts;
    private final boolean fromFloats;
    private final boolean toFloats;
    private final RowDecoder decoder;
    private final RowEncoder encoder;
    private final Scratch scratch;

    CastTask(StridedBlocks from, StridedBlocks to, ElementType fromType, ElementType toType, NodeBuilder node) {
        this(from, to, fromType, toType, node, Math.ceilDiv(to.d0() * toType.blockSize(), PART));
    }

    private CastTask(
            StridedBlocks from,
            StridedBlocks to,
            ElementType fromType,
            ElementType toType,
            NodeBuilder node,
            long parts) {
        super(to.rows() * parts, Math.min(PART, to.d0() * toType.blockSize()) * NANOS_PER_ELEMENT + 10, node.threads());
        this.from = from;
        this.to = to;
        this.fromBlock = fromType.blockSize();
        this.toBlock = toType.blockSize();
        this.length = to.d0() * toBlock;
        this.parts = parts;
        this.fromFloats = fromType == ElementType.F32 && from.hasDenseRows();
        this.toFloats = toType == ElementType.F32 && to.hasDenseRows();
        this.decoder = RowDecoder.of(fromType);
        this.encoder = RowEncoder.of(toType);
        // Gathered or encoded elements take up to eight bytes, floats four.
        this.scratch = node.scratchPerThread(PART * (8L + 4 + 8));
    }

    /** The blocks of a contiguous operand as a single row. */
    static StridedBlocks flat(Operand a) {
        int bytes = a.type.bytesPerBlock();
        long count = a.elements() / a.type.blockSize();
        return new StridedBlocks(a.address, bytes, count, 1, 1, 1, bytes, 0, 0, 0);
    }

    @Override
    protected void run(long first, long last, int thread) {
        long gathered = scratch.address(thread);
        for (long item = first; item < last; item++) {
            long row = item / parts;
            long begin = (item - row * parts) * PART;
            long count = Math.min(PART, length - begin);
            long source = from.row(row) + begin / fromBlock * from.s0();
            long target = to.row(row) + begin / toBlock * to.s0();
            cast(source, target, count, gathered);
        }
    }

    private void cast(long source, long target, long count, long gathered) {
        long floats = gathered + PART * 8L;
        long encoded = floats + PART * 4L;
        long dense = source;
        if (!from.hasDenseRows()) {
            MoveKernels.move(source, from.s0(), gathered, from.bytes(), count, from.bytes());
            dense = gathered;
        }
        if (toFloats) {
            decoder.decode(dense, target, count);
            return;
        }
        if (!fromFloats) {
            decoder.decode(dense, floats, count);
        }
        long decoded = fromFloats ? dense : floats;
        if (to.hasDenseRows()) {
            encoder.encode(decoded, target, count);
        } else {
            encoder.encode(decoded, encoded, count);
            MoveKernels.move(encoded, to.bytes(), target, to.s0(), count, to.bytes());
        }
    }
}
