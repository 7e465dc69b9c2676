package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.matrix.Gemm;
import dev.stowage.cuda.op.matrix.GemmOperands;
import dev.stowage.cuda.op.matrix.HalfMatrix;
import dev.stowage.cuda.op.matrix.HalfType;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/**
 * MUL_MAT with weights in units: straight from the units for few tokens; for many the weights become rows of halves, which
 * tensor cores multiply faster.
 */
final class UnitMulMat implements OpKernel {

    /** The most tokens that are multiplied from units. */
    private static final long FEW_TOKENS = 2L * UnitProduct.MAX_TOKENS;

    /** The most bytes of rows of halves at a time. */
    private static final long HALF_BYTES = 256L << 20;

    private static final int THREADS = 256;
    private static final int MAX_BLOCKS = 1 << 16;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Tensor weights = node.source(0);
        Tensor tokens = node.source(1);
        return Requirements.of(node)
                .require(!weights.isView(), "reads whole weights in units, and " + weights.describe() + " is a view")
                .require(
                        UnitLayout.suits(weights.layout()) && weights.dim(2) == 1,
                        "reads one matrix in units, not " + weights.layout())
                .type(1, ElementType.F32)
                .result(ElementType.F32)
                .require(
                        Columns.areUniform(tokens.layout()),
                        "with weights in units takes rows at equal distances, not " + tokens.layout())
                .require(node.layout().isContiguous(), "with weights in units has a result without gaps")
                .rows()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Columns columns = Columns.of(step.operand(1).layout());
        if (columns.count() > FEW_TOKENS) {
            launchLarge(step, out);
        } else {
            Activations activations = Activations.floats(Pointers.of(step.operand(1)), columns.stride());
            UnitProduct.of(step.operand(0), activations, Math.toIntExact(columns.count()))
                    .matrix(step.operand(0), step.result())
                    .launch(out);
        }
    }

    private static void launchLarge(Step step, LaunchSink out) {
        UnitLayout layout = UnitLayout.of(step.operand(0).layout()).orElseThrow();
        HalfType type = layout.format() == UnitFormat.BF16 ? HalfType.BF16 : HalfType.F16;
        HalfMatrix tokens = Gemm.tokens(out, step.operand(1), step.operand(0).type());
        long rowBytes = 2 * layout.k();
        long atOnce = Math.max(UnitFormat.ROWS, HALF_BYTES / rowBytes / UnitFormat.ROWS * UnitFormat.ROWS);
        for (long first = 0; first < layout.rows(); first += atOnce) {
            long rows = Math.min(atOnce, layout.rows() - first);
            Scratch halves = out.scratch(rows * rowBytes);
            dequantize(layout, DeviceAddress.of(step.operand(0)), first, rows, halves, out);
            Gemm.launch(
                    out,
                    GemmOperands.of(
                            HalfMatrix.in(halves, rows, layout.k(), type),
                            tokens,
                            Pointers.of(DeviceAddress.of(step.result()) + first * Float.BYTES),
                            layout.rows()));
        }
    }

    /** Rows of one matrix as halves without gaps. */
    static void dequantize(UnitLayout layout, long units, long first, long rows, Scratch target, LaunchSink out) {
        long blocks = Math.ceilDiv(rows * Math.ceilDiv(layout.k(), 32), THREADS);
        Launch launch = Launch.of("unit_dequantize_" + layout.format().suffix())
                .grid(Math.min(blocks, MAX_BLOCKS))
                .block(THREADS)
                .pointer(units)
                .pointer(target)
                .i64(layout.k())
                .i64(first)
                .i64(rows)
                .i32(layout.k());
        out.add(out.gpu().isHopper() ? launch.dependent() : launch);
    }
}
