package dev.stowage.cuda.op.rope;

import dev.stowage.cuda.op.Memory;
import dev.stowage.cuda.op.unit.ProductTail;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import java.util.List;

/**
 * ROPE of queries, ROPE and SET_ROWS of keys, and SET_ROWS of values, as one launch. The rotated keys are not written but
 * to their table.
 */
final class RopeCache {

    private static final int POSITIONS = 1;
    private static final int FACTORS = 2;
    private static final int THREADS = 64;
    private static final int VALUES_PER_BLOCK = 128;

    private final Step query;
    private final Step key;
    private final Step storeKeys;
    private final Step storeValues;

    RopeCache(Step query, Step key, Step storeKeys, Step storeValues) {
        this.query = query;
        this.key = key;
        this.storeKeys = storeKeys;
        this.storeValues = storeValues;
    }

    boolean canFuse() {
        return query.op() == Op.ROPE
                && storeValues.op() == Op.SET_ROWS
                && RopeSetRows.canFuse(key, storeKeys)
                && query.parameters().equals(key.parameters())
                && isSame(query, key, POSITIONS)
                && query.hasOperand(FACTORS) == key.hasOperand(FACTORS)
                && (!query.hasOperand(FACTORS) || isSame(query, key, FACTORS))
                && isRow(query.operand(0))
                && isRow(query.result())
                && isRow(key.operand(0))
                && query.operand(0).dim(2) == key.operand(0).dim(2)
                && areValues()
                && isApart();
    }

    private static boolean isSame(Step a, Step b, int slot) {
        return Memory.isSame(a.operand(slot), b.operand(slot));
    }

    /** Heads whose elements have no gaps between them. */
    private static boolean isRow(BoundTensor heads) {
        return heads.type() == ElementType.F32 && heads.layout().hasContiguousRows() && heads.dim(3) == 1;
    }

    private boolean areValues() {
        BoundTensor rows = storeValues.operand(0);
        BoundTensor table = storeValues.result();
        return rows.type() == ElementType.F32
                && rows.layout().isContiguous()
                && rows.shape().isMatrix()
                && rows.dim(1) == key.operand(0).dim(2)
                && table.type() == storeKeys.result().type()
                && table.layout().hasContiguousRows()
                && table.shape().isMatrix()
                && storeValues.operand(1).type() == storeKeys.operand(1).type();
    }

    /** Blocks write in any order, so that nothing is written where another block reads. */
    private boolean isApart() {
        BoundTensor rotated = query.result();
        List<BoundTensor> read = List.of(key.operand(0), storeValues.operand(0));
        return Memory.canStream(query.operand(0), rotated)
                && read.stream().allMatch(tensor -> Memory.areApart(tensor, rotated))
                && List.of(storeKeys.result(), storeValues.result()).stream()
                        .allMatch(table -> Memory.areApart(table, query.operand(0))
                                && Memory.areApart(table, rotated)
                                && read.stream().allMatch(tensor -> Memory.areApart(tensor, table)));
    }

    /**
     * Whether {@link #asTail} describes this: one token, neighbours that are rotated from the first element of a head on by
     * angles that depend on nothing but its position, and tables of f16.
     */
    boolean canBeTail() {
        OpParameters.Rope rope = (OpParameters.Rope) query.parameters();
        return canFuse()
                && query.operand(0).dim(2) == 1
                && query.result().layout().isContiguous()
                && query.operand(0).dim(0) == key.operand(0).dim(0)
                && query.operand(0).dim(0) % 2 == 0
                && rope.mode() == RopeMode.NORMAL
                && rope.offset() == 0
                && (!query.hasOperand(FACTORS) || Memory.isConstant(query.operand(FACTORS)))
                && storeKeys.result().type() == ElementType.F16;
    }

    /** The same as what follows the products that give queries, keys and values; queries go where the result of ROPE would. */
    ProductTail asTail() {
        return launch -> {
            launch.i32(query.operand(0).dim(0));
            addTable(launch, storeKeys);
            addTable(launch, storeValues);
            launch.i32(storeKeys.operand(1).type() == ElementType.I64 ? 1 : 0);
            RopeArguments.add(launch, query, 1f);
        };
    }

    private static void addTable(Launch launch, Step store) {
        BoundTensor table = store.result();
        launch.pointer(table).i64(table.stride(1)).i64(table.dim(1)).pointer(store.operand(1));
    }

    void launch(LaunchSink out) {
        BoundTensor q = query.operand(0);
        BoundTensor k = key.operand(0);
        BoundTensor v = storeValues.operand(0);
        BoundTensor keyCells = storeKeys.operand(1);
        BoundTensor valueCells = storeValues.operand(1);
        String kernel = "rope_cache_"
                + (storeKeys.result().type() == ElementType.F16 ? "f16" : "f32")
                + (keyCells.type() == ElementType.I64 ? "_i64" : "_i32");
        Launch launch = Launch.of(kernel)
                .grid(q.dim(2), q.dim(1) + k.dim(1) + Math.ceilDiv(v.dim(0), VALUES_PER_BLOCK), 1)
                .block(THREADS)
                .view(q)
                .view(query.result())
                .view(k)
                .view(storeKeys.result())
                .pointer(keyCells)
                .i64(keyCells.stride(0))
                .view(v)
                .view(storeValues.result())
                .pointer(valueCells)
                .i64(valueCells.stride(0));
        out.add(RopeArguments.add(launch, query, 1f));
    }
}
