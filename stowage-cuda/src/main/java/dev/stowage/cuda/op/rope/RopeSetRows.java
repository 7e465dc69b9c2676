package dev.stowage.cuda.op.rope;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.op.Memory;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;

/**
 * ROPE and the SET_ROWS that stores its f32 result in an f32 or f16 table, as one launch.
 *
 * <pre>
 *   ROPE      [size, heads, tokens]       without gaps
 *   SET_ROWS  [size * heads, tokens]      the same elements as one row for each token
 *   table     [size * heads, cells]       row cells[token] is written
 * </pre>
 */
final class RopeSetRows {

    private RopeSetRows() {}

    static boolean canFuse(Step rope, Step setRows) {
        if (rope.op() != Op.ROPE || setRows.op() != Op.SET_ROWS) {
            return false;
        }
        BoundTensor rotated = rope.result();
        BoundTensor rows = setRows.operand(0);
        return rotated.type() == ElementType.F32
                && rows.type() == ElementType.F32
                && rotated.dim(3) == 1
                && rotated.layout().isContiguous()
                && rows.layout().isContiguous()
                && rows.shape().isMatrix()
                && rows.dim(0) == rotated.dim(0) * rotated.dim(1)
                && rows.dim(1) == rotated.dim(2)
                && DeviceAddress.of(rows) == DeviceAddress.of(rotated)
                && isTable(setRows)
                && Memory.areApart(rope.operand(0), setRows.result())
                && isIndex(setRows.operand(1).type());
    }

    private static boolean isTable(Step setRows) {
        BoundTensor table = setRows.result();
        return (table.type() == ElementType.F32 || table.type() == ElementType.F16)
                && table.layout().hasContiguousRows()
                && table.shape().isMatrix();
    }

    private static boolean isIndex(ElementType type) {
        return type == ElementType.I32 || type == ElementType.I64;
    }

    static void launch(Step rope, Step setRows, LaunchSink out) {
        BoundTensor a = rope.operand(0);
        BoundTensor table = setRows.result();
        BoundTensor cells = setRows.operand(1);
        int pairs = RopeArguments.pairs((OpParameters.Rope) rope.parameters());
        String kernel = "rope_set_rows_"
                + (table.type() == ElementType.F16 ? "f16" : "f32")
                + (cells.type() == ElementType.I64 ? "_i64" : "_i32");
        Launch launch = Launch.of(kernel).view(a).view(table).pointer(cells).i64(cells.stride(0));
        out.add(RopeArguments.add(RopeArguments.grid(launch, a, pairs, out.gpu()), rope, 1f));
    }
}
