package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** Tensors in a frame of zeros or of their other end, and tensors moved along their dimensions (ROLL). */
final class PadKernel implements OpKernel {

    /** How far elements move in each dimension, and whether what is outside goes round. */
    private record Move(int by0, int by1, int by2, int by3, boolean circular) {

        static Move of(OpParameters parameters) {
            return switch (parameters) {
                case OpParameters.Pad p -> new Move(p.before0(), p.before1(), p.before2(), p.before3(), p.circular());
                case OpParameters.Roll r -> new Move(r.shift0(), r.shift1(), r.shift2(), r.shift3(), true);
                default -> throw new IllegalArgumentException(parameters + " do not move elements");
            };
        }
    }

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        OpSupport known = Requirements.of(node)
                .parameters(node.op() == Op.PAD ? OpParameters.Pad.class : OpParameters.Roll.class)
                .answer();
        if (!known.isSupported()) {
            return known;
        }
        Move move = Move.of(node.parameters());
        Tensor a = node.source(0);
        int size = node.type().blockSize();
        return Requirements.of(node)
                .require(a.type() == node.type(), "is for results of the type of the operand")
                .require(
                        !move.circular() || !a.shape().isEmpty(),
                        "has nothing to go on with at the other end of an empty operand")
                .require(
                        move.by0() % size == 0,
                        "moves " + node.type() + " along a row in whole blocks of " + size + " elements")
                .require(
                        !a.type().isQuantized() || a.layout().hasContiguousRows(),
                        "of " + a.type() + " is for rows of blocks without gaps")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Move move = Move.of(step.parameters());
        ViewArgument from = Views.of(step.operand(0));
        ViewArgument to = Views.of(step.result());
        ElementType type = step.result().type();
        long shift = (long) move.by0() / type.blockSize() * type.bytesPerBlock();
        int unit = Views.unit(shift, from, to);
        ViewArgument target = Views.inUnits(to, unit);
        out.add(RowGrid.launch("pad_" + unit, target.layout().shape())
                .argument(Views.inUnits(from, unit))
                .argument(target)
                .i64(shift / unit)
                .i64(move.by1())
                .i64(move.by2())
                .i64(move.by3())
                .i32(move.circular() ? 1 : 0));
    }
}
