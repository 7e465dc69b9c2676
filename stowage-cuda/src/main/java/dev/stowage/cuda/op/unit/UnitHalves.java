package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.op.matrix.HalfMatrix;
import dev.stowage.cuda.op.matrix.HalfType;
import dev.stowage.cuda.op.matrix.HalfWeights;
import dev.stowage.cuda.op.matrix.PairProduct;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/** A matrix in units, or those of experts, as rows of halves. */
record UnitHalves(BoundTensor units) implements HalfWeights, PairProduct.ExpertWeights {

    private static final int WARPS = 8;

    @Override
    public ElementType type() {
        return units.type();
    }

    @Override
    public long rows() {
        return units.dim(1);
    }

    @Override
    public Optional<HalfMatrix> inPlace(Gpu gpu) {
        return !units.type().isQuantized() && isKnownTo(gpu) && HalfMatrix.canBeInUnits(units.dim(0))
                ? Optional.of(HalfMatrix.inUnits(
                        Pointers.of(units),
                        Math.multiplyExact(units.dim(1), units.dim(2)),
                        units.dim(0),
                        HalfType.of(units.type())))
                : Optional.empty();
    }

    /** Whether kernels of a GPU read units, where the groups of rows of all matrices are whole. */
    private boolean isKnownTo(Gpu gpu) {
        return gpu.isHopper() && (units.dim(2) == 1 || units.dim(1) % UnitFormat.ROWS == 0);
    }

    private UnitLayout layout() {
        return UnitLayout.of(units.layout()).orElseThrow();
    }

    @Override
    public void write(LaunchSink out, long first, HalfMatrix target) {
        write(out, first, target.rows(), 1, target);
    }

    @Override
    public HalfMatrix rows(LaunchSink out, long first, long count) {
        HalfMatrix target = HalfMatrix.allocate(out, count * units.dim(2), units.dim(0), HalfType.of(units.type()));
        write(out, first, count, units.dim(2), target);
        return target;
    }

    /** Writes {@code count} rows of each matrix, those of one after those of the one before. */
    private void write(LaunchSink out, long first, long count, long matrices, HalfMatrix target) {
        UnitLayout layout = layout();
        if (first % UnitFormat.ROWS != 0) {
            throw new IllegalArgumentException("row " + first + " does not begin a group of rows");
        }
        // A warp has a unit: 4 rows of a step.
        long all = Math.ceilDiv(count, UnitFormat.ROWS) * layout.steps();
        Launch launch = Launch.of("unit_dequantize_" + layout.format().suffix())
                .grid(Math.ceilDiv(all, WARPS), matrices, 1)
                .block(WARPS * UnitFormat.LANES)
                .pointer(DeviceAddress.of(units))
                .i64(layout.matrixBytes())
                .argument(target.base())
                .i64(target.rowStride())
                .i32(first)
                .i32(count)
                .i32(layout.k());
        out.add(out.gpu().isHopper() ? launch.dependent() : launch);
    }
}
