package dev.stowage.rpc.wire;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;
import dev.stowage.tensor.UnaryFunction;
import dev.stowage.tensor.Window;

/**
 * Makes a node from what a message says of it, by the op functions of {@link GraphBuilder}, which refuse what a kernel
 * could not compute: nothing that comes from outside is taken for a valid node. The result has the parameters, and the
 * layout that the op gives to its result; the caller compares it with the layout that the message claims.
 */
final class OpReader {

    private static final int F32_PRECISION = 10;
    private static final int ALIGN_CORNERS = 1 << 8;
    private static final int ANTIALIAS = 1 << 9;
    private static final int MODE_BITS = 0xff;

    private final GraphBuilder b = new GraphBuilder();
    private final Operands in;

    private OpReader(Operands in) {
        this.in = in;
    }

    /**
     * The node.
     *
     * @throws InvalidTensorException if the op cannot be sent or refuses its operands
     */
    static Tensor read(Operands operands) {
        return new OpReader(operands).read();
    }

    private Tensor read() {
        return switch (in.op()) {
            case DUP,
                    ADD,
                    ADD_ID,
                    ADD1,
                    SUB,
                    MUL,
                    DIV,
                    SQR,
                    SQRT,
                    LOG,
                    SIN,
                    COS,
                    SCALE,
                    CLAMP,
                    LEAKY_RELU,
                    FILL,
                    UNARY,
                    GLU -> elementwise();
            case SUM, SUM_ROWS, CUMSUM, MEAN, ARGMAX, COUNT_EQUAL, ARGSORT, TOP_K -> reduction();
            case REPEAT, CONCAT, ACC, SET, CPY, CONT, GET_ROWS, SET_ROWS, PAD, PAD_REFLECT_1D, ROLL -> copy();
            case NORM, RMS_NORM, GROUP_NORM, L2_NORM, SOFT_MAX, ROPE, ROPE_BACK, FLASH_ATTN_EXT, LIGHTNING_INDEXER ->
                normOrAttention();
            case MUL_MAT, MUL_MAT_ID, OUT_PROD, SOLVE_TRI, DIAG, DIAG_MASK_INF, DIAG_MASK_ZERO, TRI -> matrix();
            case CONV_TRANSPOSE_1D, IM2COL, IM2COL_3D, COL2IM_1D, CONV_2D, CONV_3D, CONV_2D_DW, CONV_TRANSPOSE_2D ->
                convolution();
            case POOL_1D,
                    POOL_2D,
                    UPSCALE,
                    WIN_PART,
                    WIN_UNPART,
                    GET_REL_POS,
                    ADD_REL_POS,
                    ARANGE,
                    TIMESTEP_EMBEDDING -> window();
            case SSM_CONV,
                    SSM_SCAN,
                    RWKV_WKV6,
                    GATED_LINEAR_ATTN,
                    RWKV_WKV7,
                    GATED_DELTA_NET,
                    DSV4_HC_COMB,
                    DSV4_HC_PRE,
                    DSV4_HC_POST -> sequence();
            default -> throw unknown();
        };
    }

    private InvalidTensorException unknown() {
        return new InvalidTensorException(in.op() + " cannot be computed for a client");
    }

    private Tensor a() {
        return in.source(0);
    }

    private Tensor second() {
        return in.source(1);
    }

    private Tensor third() {
        return in.source(2);
    }

    private Tensor elementwise() {
        return switch (in.op()) {
            case DUP -> b.dup(a());
            case ADD ->
                in.layout().type() == a().type()
                        ? b.add(a(), second())
                        : b.addCast(a(), second(), in.layout().type());
            case ADD_ID -> b.addId(a(), second(), third());
            case ADD1 -> b.add1(a(), second());
            case SUB -> b.sub(a(), second());
            case MUL -> b.mul(a(), second());
            case DIV -> b.div(a(), second());
            case SQR -> b.sqr(a());
            case SQRT -> b.sqrt(a());
            case LOG -> b.log(a());
            case SIN -> b.sin(a());
            case COS -> b.cos(a());
            case SCALE -> b.scaleBias(a(), in.real(0), in.real(1));
            case CLAMP -> b.clamp(a(), in.real(0), in.real(1));
            case LEAKY_RELU -> b.leakyRelu(a(), in.real(0));
            case FILL -> b.fill(a(), in.real(0));
            case UNARY -> unary();
            case GLU -> glu();
            default -> throw unknown();
        };
    }

    /** The words of XIELU are what its function makes of its arguments, so that the function cannot be called again. */
    private Tensor unary() {
        UnaryFunction function = in.constant(UnaryFunction.values(), 0);
        if (function != UnaryFunction.XIELU) {
            return b.unary(a(), function);
        }
        OpParameters parameters = new OpParameters.Xielu(in.real(1), in.real(2), in.real(3), in.real(4));
        return Tensor.builder(b.silu(a()).layout())
                .op(in.op(), parameters)
                .sources(a())
                .build();
    }

    private Tensor glu() {
        GluFunction function = in.constant(GluFunction.values(), 0);
        Tensor up = in.optional(1);
        if (function == GluFunction.SWIGLU_OAI) {
            return b.swigluOai(a(), second(), in.real(2), in.real(3));
        }
        if (up != null) {
            return b.gluSplit(a(), up, function);
        }
        return in.flag(1) ? b.gluSwapped(a(), function) : b.glu(a(), function);
    }

    private Tensor reduction() {
        return switch (in.op()) {
            case SUM -> b.sum(a());
            case SUM_ROWS -> b.sumRows(a());
            case CUMSUM -> b.cumsum(a());
            case MEAN -> b.mean(a());
            case ARGMAX -> b.argmax(a());
            case COUNT_EQUAL -> b.countEqual(a(), second());
            case ARGSORT -> b.argsort(a(), in.constant(SortOrder.values(), 0));
            case TOP_K -> b.topK(a(), dimension(0));
            default -> throw unknown();
        };
    }

    private Tensor copy() {
        return switch (in.op()) {
            case REPEAT -> b.repeat(a(), dimensions());
            case CONCAT -> b.concat(a(), second(), in.word(0));
            case ACC -> b.acc(a(), second(), unsigned(0), unsigned(1), unsigned(2), unsigned(3));
            case SET -> b.set(a(), second(), unsigned(0), unsigned(1), unsigned(2), unsigned(3));
            case CPY -> in.optional(1) == null ? b.cast(a(), in.layout().type()) : b.cpy(a(), second());
            case CONT -> b.cont(a(), dimensions());
            case GET_ROWS -> b.getRows(a(), second());
            case SET_ROWS -> b.setRows(third(), a(), second());
            case PAD ->
                b.pad(
                        a(),
                        new OpParameters.Pad(
                                in.word(0),
                                in.word(1),
                                in.word(2),
                                in.word(3),
                                in.word(4),
                                in.word(5),
                                in.word(6),
                                in.word(7),
                                in.flag(8)));
            case PAD_REFLECT_1D -> b.padReflect1d(a(), in.word(0), in.word(1));
            case ROLL -> b.roll(a(), in.word(0), in.word(1), in.word(2), in.word(3));
            default -> throw unknown();
        };
    }

    private Tensor normOrAttention() {
        return switch (in.op()) {
            case NORM -> b.norm(a(), in.real(0));
            case RMS_NORM -> b.rmsNorm(a(), in.real(0));
            case GROUP_NORM -> b.groupNorm(a(), in.word(0), in.real(1));
            case L2_NORM -> b.l2Norm(a(), in.real(0));
            case SOFT_MAX -> b.softMax(a(), in.optional(1), in.optional(2), in.real(0), in.real(1));
            case ROPE -> b.rope(a(), second(), in.optional(2), rope());
            case ROPE_BACK -> b.ropeBack(a(), second(), in.optional(2), rope());
            case FLASH_ATTN_EXT ->
                b.flashAttention(
                        a(),
                        second(),
                        third(),
                        in.optional(3),
                        in.optional(4),
                        new OpParameters.FlashAttention(in.real(0), in.real(1), in.real(2), precision(3)));
            case LIGHTNING_INDEXER -> b.lightningIndexer(a(), second(), third(), in.source(3));
            default -> throw unknown();
        };
    }

    private OpParameters.Rope rope() {
        RopeMode mode = RopeMode.ofCode(in.word(2));
        RopeFrequencies frequencies = new RopeFrequencies(
                in.word(4), in.real(5), in.real(6), in.real(7), in.real(8), in.real(9), in.real(10));
        RopeSections sections = mode.usesSections()
                ? new RopeSections(in.word(11), in.word(12), in.word(13), in.word(14))
                : RopeSections.NONE;
        return new OpParameters.Rope(in.word(1), mode, in.word(15), sections, frequencies);
    }

    private Precision precision(int index) {
        return switch (in.word(index)) {
            case 0 -> Precision.DEFAULT;
            case F32_PRECISION -> Precision.F32;
            default -> throw new InvalidTensorException(in.op() + " with an unknown precision " + in.word(index));
        };
    }

    private Tensor matrix() {
        return switch (in.op()) {
            case MUL_MAT -> b.mulMat(a(), second(), precision(0), in.constant(MulMatHint.values(), 1));
            case MUL_MAT_ID -> b.mulMatId(a(), second(), third());
            case OUT_PROD -> b.outProd(a(), second());
            case SOLVE_TRI -> b.solveTri(a(), second());
            case DIAG -> b.diag(a());
            case DIAG_MASK_INF -> b.diagMaskInf(a(), in.word(0));
            case DIAG_MASK_ZERO -> b.diagMaskZero(a(), in.word(0));
            case TRI -> b.tri(a(), in.constant(TriangleKind.values(), 0));
            default -> throw unknown();
        };
    }

    private Tensor convolution() {
        return switch (in.op()) {
            case CONV_TRANSPOSE_1D -> b.convTranspose1d(a(), second(), in.word(0));
            case CONV_TRANSPOSE_2D -> b.convTranspose2d(a(), second(), in.word(0));
            case IM2COL ->
                in.flag(6)
                        ? b.im2col(
                                a(),
                                second(),
                                window(0, 2),
                                window(1, 2),
                                in.layout().type())
                        : b.im2col1d(a(), second(), window(0, 2), in.layout().type());
            case IM2COL_3D ->
                b.im2col3d(
                        a(),
                        second(),
                        in.word(9),
                        window(0, 3),
                        window(1, 3),
                        window(2, 3),
                        in.layout().type());
            case COL2IM_1D -> b.col2im1d(a(), in.word(0), in.word(1), in.word(2));
            case CONV_2D -> b.conv2dDirect(a(), second(), window(0, 2), window(1, 2));
            case CONV_2D_DW -> b.conv2dDepthwiseDirect(a(), second(), window(0, 2), window(1, 2));
            case CONV_3D ->
                b.conv3dDirect(
                        a(), second(), window(0, 3), window(1, 3), window(2, 3), in.word(9), in.word(10), in.word(11));
            default -> throw unknown();
        };
    }

    /** The strides of all dimensions come first, then the paddings, then the dilations. */
    private Window window(int dimension, int dimensions) {
        return new Window(in.word(dimension), in.word(dimension + dimensions), in.word(dimension + 2 * dimensions));
    }

    private Tensor window() {
        return switch (in.op()) {
            case POOL_1D -> b.pool1d(a(), in.constant(PoolKind.values(), 0), in.word(1), in.word(2), in.word(3));
            case POOL_2D ->
                b.pool2d(
                        a(),
                        in.constant(PoolKind.values(), 0),
                        in.word(1),
                        in.word(2),
                        in.word(3),
                        in.word(4),
                        in.word(5),
                        in.word(6));
            case UPSCALE ->
                b.interpolate(
                        a(),
                        in.layout().shape(),
                        in.constantOf(InterpolationMode.values(), in.word(0) & MODE_BITS),
                        (in.word(0) & ALIGN_CORNERS) != 0,
                        (in.word(0) & ANTIALIAS) != 0);
            case WIN_PART -> b.winPart(a(), in.word(2));
            case WIN_UNPART -> b.winUnpart(a(), dimension(1), dimension(2), in.word(0));
            case GET_REL_POS -> b.getRelPos(a(), dimension(2), dimension(1));
            case ADD_REL_POS -> b.addRelPos(a(), second(), third());
            case ARANGE -> b.arange(in.real(0), in.real(1), in.real(2));
            case TIMESTEP_EMBEDDING -> b.timestepEmbedding(a(), in.word(0), in.word(1));
            default -> throw unknown();
        };
    }

    private Tensor sequence() {
        return switch (in.op()) {
            case SSM_CONV -> b.ssmConv(a(), second());
            case SSM_SCAN ->
                b.ssmScan(
                        a(),
                        second(),
                        third(),
                        in.source(3),
                        in.source(4),
                        in.source(5),
                        in.source(6),
                        Math.max(1, in.word(0)));
            case RWKV_WKV6 -> b.rwkvWkv6(a(), second(), third(), in.source(3), in.source(4), in.source(5));
            case RWKV_WKV7 ->
                b.rwkvWkv7(a(), second(), third(), in.source(3), in.source(4), in.source(5), in.source(6));
            case GATED_LINEAR_ATTN -> b.gatedLinearAttn(a(), second(), third(), in.source(3), in.source(4), in.real(0));
            case GATED_DELTA_NET ->
                b.gatedDeltaNet(a(), second(), third(), in.source(3), in.source(4), in.source(5), in.word(0));
            case DSV4_HC_COMB -> b.dsv4HcComb(a(), second(), third(), in.real(0), in.word(1));
            case DSV4_HC_PRE -> b.dsv4HcPre(a(), second());
            case DSV4_HC_POST -> b.dsv4HcPost(a(), second(), third(), in.source(3));
            default -> throw unknown();
        };
    }

    private long unsigned(int index) {
        return Integer.toUnsignedLong(in.word(index));
    }

    private int dimension(int i) {
        return Math.toIntExact(in.layout().shape().dim(i));
    }

    private long[] dimensions() {
        return new long[] {
            in.layout().shape().d0(),
            in.layout().shape().d1(),
            in.layout().shape().d2(),
            in.layout().shape().d3()
        };
    }
}
