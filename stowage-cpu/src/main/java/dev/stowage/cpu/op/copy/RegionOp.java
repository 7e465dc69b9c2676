package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.copy.AccumulateKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.ElementCost;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * SET and ACC: the first operand with the second put into a region of it, or added to one. The reference op is left with
 * regions whose rows share bytes, and with additions to other types than f32 or of rows with gaps.
 *
 * @param adds whether the second operand is added to what is there
 */
record RegionOp(boolean adds) implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        OpParameters.Region where = node.parameters(OpParameters.Region.class);
        Operand a = node.operand(0);
        Operand b = node.operand(1);
        Operand result = node.result();
        if (adds && (result.type != ElementType.F32 || b.type != ElementType.F32 || !b.hasDenseRows())) {
            return false;
        }
        StridedBlocks part = StridedBlocks.of(b);
        StridedBlocks region = new StridedBlocks(
                result.address + where.offset(),
                part.bytes(),
                part.d0(),
                part.d1(),
                part.d2(),
                part.d3(),
                part.bytes(),
                where.stride1(),
                where.stride2(),
                where.stride3());
        if (!region.hasRowsApart() || a.type != result.type || b.type != result.type) {
            return false;
        }
        if (!where.inPlace() && (a.address != result.address || !a.layout().equals(result.layout()))) {
            MoveTasks.add(
                    node, StridedBlocks.of(a), StridedBlocks.of(result), a.isContiguous() && result.isContiguous());
        }
        if (adds) {
            node.add(new Adding(part, region, node.threads()));
        } else {
            MoveTasks.add(node, part, region, false);
        }
        return true;
    }

    private static final class Adding extends RangeTask {

        private final StridedBlocks part;
        private final StridedBlocks region;

        Adding(StridedBlocks part, StridedBlocks region, int threads) {
            super(part.rows(), part.d0() * ElementCost.ARITHMETIC + 10, threads);
            this.part = part;
            this.region = region;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                AccumulateKernels.addTo(part.row(row), region.row(row), part.d0());
            }
        }
    }
}
