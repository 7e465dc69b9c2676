package dev.stowage.testkit.backend;

import dev.stowage.error.DeviceException;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import dev.stowage.testkit.op.OpRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** One op that one device gets wrong, each in a way that kernels really are wrong. */
@SuppressWarnings("ImmutableEnumChecker") // a tamper is a function without state
enum OpDefect {
    ADD_IGNORES_BROADCAST(Op.ADD, n -> {
        if (n.operand(1).shape().equals(n.operand(0).shape())) {
            n.compute();
        } else {
            n.computeWith(
                    1,
                    HostNode.part(n.operand(1), n.operand(1).shape().with(1, 1).with(2, 1)));
        }
    }),
    SUB_SWAPS_OPERANDS(Op.SUB, n -> {
        if (n.operand(0).layout().equals(n.operand(1).layout())) {
            n.computeSwapped();
        } else {
            n.compute();
        }
    }),
    MUL_IGNORES_STRIDES(
            Op.MUL,
            n -> n.computeWith(0, HostNode.beginning(n.operand(0), n.operand(0).shape()))),
    UNARY_IGNORES_VIEW_OFFSET(Op.UNARY, n -> n.computeWith(0, HostNode.withoutOffset(n.operand(0)))),
    SQRT_IGNORES_PERMUTATION(
            Op.SQRT,
            n -> n.computeWith(0, HostNode.beginning(n.operand(0), n.operand(0).shape()))),
    SCALE_DROPS_LAST_ROW(Op.SCALE, n -> {
        byte[] before = TensorData.segment(n.node()).toArray(ValueLayout.JAVA_BYTE);
        n.compute();
        int row = Math.toIntExact(n.node().stride(1));
        int last = before.length - Math.min(row, before.length);
        MemorySegment.copy(
                MemorySegment.ofArray(before), last, TensorData.segment(n.node()), last, before.length - last);
    }),
    DIV_SKIPS_THE_TAIL_OF_ROWS(Op.DIV, n -> {
        double[] before = n.result();
        n.compute();
        double[] values = n.result();
        long length = n.node().dim(0);
        for (int i = 0; i < values.length; i++) {
            if (i % length >= length / 4 * 4) {
                values[i] = before[i];
            }
        }
        if (n.node().layout().isContiguous()) {
            n.setResult(values);
        }
    }),
    RMS_NORM_IGNORES_EPSILON(Op.RMS_NORM, n -> n.computeWith(new OpParameters.Norm(0))),
    NORM_DIVIDES_BY_ONE_LESS(Op.NORM, n -> {
        n.compute();
        double length = n.node().dim(0);
        n.changeResult(x -> x * Math.sqrt((length - 1) / length));
    }),
    L2_NORM_ADDS_EPSILON(Op.L2_NORM, n -> {
        n.compute();
        if (n.parameters() instanceof OpParameters.Norm(float epsilon)) {
            n.changeResult(x -> x / (1 + epsilon));
        }
    }),
    SOFT_MAX_IGNORES_MASK(Op.SOFT_MAX, n -> {
        if (n.node().hasSource(1)) {
            n.computeWith(1, null);
        } else {
            n.compute();
        }
    }),
    SOFT_MAX_IGNORES_SCALE(Op.SOFT_MAX, n -> {
        if (n.parameters() instanceof OpParameters.SoftMax(float _, float bias)) {
            n.computeWith(new OpParameters.SoftMax(1, bias));
        }
    }),
    SOFT_MAX_IGNORES_SLOPES(Op.SOFT_MAX, n -> {
        if (n.parameters() instanceof OpParameters.SoftMax(float scale, float _)) {
            n.computeWith(new OpParameters.SoftMax(scale, 0));
        }
    }),
    SOFT_MAX_IGNORES_SINKS(Op.SOFT_MAX, n -> {
        if (n.node().hasSource(2)) {
            n.computeWith(2, null);
        } else {
            n.compute();
        }
    }),
    SCALE_IGNORES_BIAS(Op.SCALE, n -> {
        if (n.parameters() instanceof OpParameters.Scale(float scale, float _)) {
            n.computeWith(new OpParameters.Scale(scale, 0));
        }
    }),
    CPY_CUTS_OFF_INSTEAD_OF_ROUNDING(Op.CPY, n -> {
        n.compute();
        if (n.node().type() == ElementType.F16 && n.operand(0).type() == ElementType.F32) {
            cutOff(n);
        }
    }),
    ADD_CUTS_OFF_INSTEAD_OF_ROUNDING(Op.ADD, n -> {
        n.compute();
        if (n.node().type() == ElementType.F16) {
            n.changeResult(x -> x * (1 - 0x1p-11));
        }
    }),
    UNARY_SWALLOWS_NAN(Op.UNARY, n -> {
        n.compute();
        n.changeResult(x -> Double.isNaN(x) ? 0 : x);
    }),
    LOG_SWALLOWS_INFINITY(Op.LOG, n -> {
        n.compute();
        n.changeResult(x -> Double.isInfinite(x) ? Math.signum(x) * Float.MAX_VALUE : x);
    }),
    MUL_MAT_IGNORES_BATCHES(
            Op.MUL_MAT,
            n -> n.computeWith(
                    0,
                    HostNode.part(n.operand(0), n.operand(0).shape().with(2, 1).with(3, 1)))),
    MUL_MAT_MISREADS_ONE_TYPE(Op.MUL_MAT, n -> {
        n.compute();
        if (n.operand(0).type() == ElementType.Q5_K) {
            n.changeResult(x -> x * 1.03);
        }
    }),
    MUL_MAT_MISSES_THE_LAST_COLUMN(Op.MUL_MAT, n -> {
        n.compute();
        double[] values = n.result();
        for (int i = Math.toIntExact(n.node().dim(0)) - 1;
                i < values.length;
                i += Math.toIntExact(n.node().dim(0))) {
            values[i] = 0;
        }
        n.setResult(values);
    }),
    MUL_MAT_ID_TAKES_THE_FIRST_MATRIX(Op.MUL_MAT_ID, n -> {
        n.changeNumbers(2, _ -> 0);
        n.compute();
    }),
    GET_ROWS_IS_OFF_BY_ONE(Op.GET_ROWS, n -> {
        long rows = n.operand(0).dim(1);
        n.changeNumbers(1, row -> (row + 1) % rows);
        n.compute();
    }),
    GET_ROWS_IGNORES_MATRICES(Op.GET_ROWS, n -> {
        // Reads the rows of the first matrix for all of them.
        Tensor a = n.operand(0);
        if (a.dim(2) == 1) {
            n.compute();
            return;
        }
        n.compute();
        double[] values = n.result();
        int plane = Math.toIntExact(n.node().dim(0) * n.node().dim(1));
        for (int i = plane; i < values.length; i++) {
            values[i] = values[i % plane];
        }
        n.setResult(values);
    }),
    SET_ROWS_SPOILS_A_NEIGHBOUR(Op.SET_ROWS, n -> {
        n.compute();
        TensorData.segment(n.node().viewSource()).asSlice(0, 2).fill((byte) 0x11);
    }),
    ROPE_PAIRS_NEIGHBOURS(Op.ROPE, n -> {
        OpParameters.Rope rope = (OpParameters.Rope) n.parameters();
        n.computeWith(
                rope.mode() == RopeMode.NEOX
                        ? new OpParameters.Rope(
                                rope.dimensions(), RopeMode.NORMAL, rope.offset(), rope.sections(), rope.frequencies())
                        : rope);
    }),
    ROPE_IGNORES_FREQUENCY_FACTORS(Op.ROPE, n -> {
        if (n.node().hasSource(2)) {
            n.computeWith(2, null);
        } else {
            n.compute();
        }
    }),
    ROPE_BACK_TURNS_BY_NOTHING(Op.ROPE_BACK, n -> {
        n.changeNumbers(1, _ -> 0);
        n.compute();
    }),
    CPY_FILLS_THE_GAPS(Op.CPY, n -> {
        n.compute();
        Tensor node = n.node();
        if (node.isView() && node.stride(1) > node.dim(0) * node.stride(0) && node.dim(1) > 1) {
            TensorData.segment(node).asSlice(node.dim(0) * node.stride(0), 1).fill((byte) 0);
        }
    }),
    TOP_K_TAKES_THE_SMALLEST(Op.TOP_K, n -> {
        Tensor a = n.operand(0);
        if (a.layout().isContiguous()) {
            float[] values = TensorData.getFloats(a);
            for (int i = 0; i < values.length; i++) {
                values[i] = -values[i];
            }
            TensorData.setFloats(a, values);
        }
        n.compute();
    }),
    ARGSORT_IGNORES_THE_ORDER(Op.ARGSORT, n -> n.computeWith(new OpParameters.Argsort(SortOrder.ASC))),
    IM2COL_IGNORES_DILATION(Op.IM2COL, n -> {
        OpParameters.Im2col im2col = (OpParameters.Im2col) n.parameters();
        n.computeWith(new OpParameters.Im2col(dense(im2col.width()), im2col.height(), im2col.twoDimensional()));
    }),
    CONV_2D_IGNORES_PADDING(Op.CONV_2D, n -> {
        OpParameters.Conv2d conv = (OpParameters.Conv2d) n.parameters();
        Window width = conv.width();
        n.computeWith(new OpParameters.Conv2d(new Window(width.stride(), 0, width.dilation()), conv.height()));
    }),
    POOL_2D_TAKES_THE_MEAN(Op.POOL_2D, n -> {
        OpParameters.Pool2d p = (OpParameters.Pool2d) n.parameters();
        n.computeWith(new OpParameters.Pool2d(
                PoolKind.AVG, p.size0(), p.size1(), p.stride0(), p.stride1(), p.padding0(), p.padding1()));
    }),
    FLASH_ATTN_IGNORES_SHARED_HEADS(
            Op.FLASH_ATTN_EXT,
            n -> n.computeWith(
                    1, HostNode.part(n.operand(1), n.operand(1).shape().with(2, 1)))),
    DIAG_MASK_IS_OFF_BY_ONE(Op.DIAG_MASK_INF, n -> {
        if (n.parameters() instanceof OpParameters.DiagMask(int past)) {
            n.computeWith(new OpParameters.DiagMask(past + 1));
        }
    }),
    CLAMP_IGNORES_THE_LOWER_BOUND(Op.CLAMP, n -> {
        if (n.parameters() instanceof OpParameters.Clamp(float _, float max)) {
            n.computeWith(new OpParameters.Clamp(Float.NEGATIVE_INFINITY, max));
        }
    }),
    GLU_IGNORES_SWAPPED_HALVES(Op.GLU, n -> {
        if (n.parameters() instanceof OpParameters.Glu(GluFunction function, boolean _)) {
            n.computeWith(new OpParameters.Glu(function, false));
        } else {
            n.compute();
        }
    }),
    SUM_ROWS_STOPS_BEFORE_THE_LAST(Op.SUM_ROWS, n -> {
        Tensor a = n.operand(0);
        n.computeWith(0, HostNode.part(a, a.shape().with(0, Math.max(0, a.dim(0) - 1))));
    }),
    SSM_SCAN_IGNORES_IDS(Op.SSM_SCAN, n -> {
        n.changeNumbers(6, _ -> 0);
        n.compute();
    }),
    GATED_DELTA_NET_FORGETS_THE_STATE(Op.GATED_DELTA_NET, n -> {
        TensorData.segment(n.operand(5)).fill((byte) 0);
        n.compute();
    }),
    CUMSUM_RUNS_ON_INTO_THE_NEXT_ROW(Op.CUMSUM, n -> {
        n.compute();
        double[] values = n.result();
        long length = n.node().dim(0);
        for (int i = 1; i < values.length; i++) {
            values[i] += i % length == 0 ? values[i - 1] : 0;
        }
        n.setResult(values);
    }),
    REPEAT_LEAVES_OUT_THE_LAST_COPY(Op.REPEAT, n -> {
        n.compute();
        double[] values = n.result();
        if (values.length > n.operand(0).shape().elements()) {
            Arrays.fill(values, values.length - 1, values.length, 0);
            n.setResult(values);
        }
    }),
    CLAIMS_AN_OP_IT_CANNOT_RUN(Op.SIN, n -> {
        throw DeviceException.of("mutant", "compute", n.node().describe(), "not implemented");
    }),
    READS_ONE_OPERAND_AFTER_WRITING(Op.ADD, n -> {
        // What happens if a result is set to zero first and then added up, while it is stored where an operand is.
        if (n.isInPlaceOf(0)) {
            TensorData.segment(n.operand(0)).fill((byte) 0);
        }
        n.compute();
    }),
    NORMALISES_IN_PLACE_ROW_BY_ROW_TOO_EARLY(Op.RMS_NORM, n -> {
        n.compute();
        if (n.isInPlaceOf(0)) {
            n.changeResult(x -> x * 0.5);
        }
    });

    private final Op op;
    private final OpTamper tamper;

    OpDefect(Op op, OpTamper tamper) {
        this.op = op;
        this.tamper = tamper;
    }

    Op op() {
        return op;
    }

    OpTamper tamper() {
        return tamper;
    }

    private static void cutOff(HostNode n) {
        double[] exact = OpRun.read(n.operand(0));
        double[] values = n.result();
        for (int i = 0; i < values.length; i++) {
            if (Math.abs(values[i]) > Math.abs(exact[i])) {
                float half = (float) values[i];
                values[i] = Float.float16ToFloat((short) (Float.floatToFloat16(half) - 1));
            }
        }
        if (n.node().layout().isContiguous()) {
            n.setResult(values);
        }
    }

    private static Window dense(Window window) {
        return new Window(window.stride(), window.padding(), 1);
    }
}
