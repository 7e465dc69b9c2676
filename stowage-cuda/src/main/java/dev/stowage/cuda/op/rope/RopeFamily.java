package dev.stowage.cuda.op.rope;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.unit.ProductTail;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The kernels of positions: rotary ones, relative ones, and rotary ones whose result goes straight to a cache. */
public final class RopeFamily {

    private RopeFamily() {}

    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.ROPE, new RopeKernel(1f));
        kernels.put(Op.ROPE_BACK, new RopeKernel(-1f));
        kernels.put(Op.GET_REL_POS, new GetRelPosKernel());
        kernels.put(Op.ADD_REL_POS, new AddRelPosKernel());
        return kernels;
    }

    /**
     * Whether {@link #ropeSetRows} computes a ROPE and the SET_ROWS that stores its result, seen as one row of all heads
     * for each token. That nothing else reads the result of ROPE, which is not written, is for the caller to know.
     */
    public static boolean canFuse(Step rope, Step setRows) {
        return RopeSetRows.canFuse(rope, setRows);
    }

    /** Adds one launch for a ROPE and the SET_ROWS that stores its result; the result of ROPE is not written. */
    public static void ropeSetRows(Step rope, Step setRows, LaunchSink out) {
        RopeSetRows.launch(rope, setRows, out);
    }

    /**
     * The ROPE of queries, the ROPE and SET_ROWS of keys and the SET_ROWS of values as what the products before them do with
     * their results, if there is a kernel for these operands.
     */
    public static Optional<ProductTail> asTail(Step query, Step key, Step storeKeys, Step storeValues) {
        RopeCache cache = new RopeCache(query, key, storeKeys, storeValues);
        return cache.canBeTail() ? Optional.of(cache.asTail()) : Optional.empty();
    }

    /**
     * Adds one launch for the ROPE of queries, the ROPE and SET_ROWS of keys and the SET_ROWS of values, if there is a
     * kernel for these operands. The result of the second ROPE is not written.
     */
    public static boolean ropeCache(Step query, Step key, Step storeKeys, Step storeValues, LaunchSink out) {
        RopeCache fused = new RopeCache(query, key, storeKeys, storeValues);
        boolean isFused = fused.canFuse();
        if (isFused) {
            fused.launch(out);
        }
        return isFused;
    }
}
