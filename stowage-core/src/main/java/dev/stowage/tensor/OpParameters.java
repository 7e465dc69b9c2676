package dev.stowage.tensor;

import java.util.Objects;

/**
 * What an op needs to know besides its operands: one record for each kind of op that has parameters. The family is
 * sealed, so that a kernel reads them with a pattern and a switch over them is checked to be complete.
 */
public sealed interface OpParameters {

    /** The parameters of an op that has none. */
    None NONE = new None();

    /** No parameters. */
    record None() implements OpParameters {}

    // ---- element by element

    /** {@link Op#SCALE}: {@code x * scale + bias}. */
    record Scale(float scale, float bias) implements OpParameters {}

    /** {@link Op#CLAMP}: {@code x} kept between {@code min} and {@code max}. */
    record Clamp(float min, float max) implements OpParameters {}

    /** {@link Op#LEAKY_RELU}: {@code x} where it is positive, else {@code x * slope}. */
    record LeakyRelu(float slope) implements OpParameters {}

    /** {@link Op#FILL}: the value every element gets. */
    record Fill(float value) implements OpParameters {}

    /** {@link Op#UNARY} for every function but {@link UnaryFunction#XIELU}. */
    record Unary(UnaryFunction function) implements OpParameters {}

    /**
     * {@link Op#UNARY} for {@link UnaryFunction#XIELU}: {@code alphaPositive * x² + beta * x} where {@code x} is
     * positive, else {@code (expm1(min(x, epsilon)) - x) * alphaNegative + beta * x}.
     */
    record Xielu(float alphaNegative, float alphaPositive, float beta, float epsilon) implements OpParameters {}

    /**
     * {@link Op#GLU} for every function but {@link GluFunction#SWIGLU_OAI}. With one operand the gate is the first
     * half of each row, or the second where {@code swapped}.
     */
    record Glu(GluFunction function, boolean swapped) implements OpParameters {}

    /**
     * {@link Op#GLU} for {@link GluFunction#SWIGLU_OAI}: {@code g * sigmoid(alpha * g) * (1 + u)} with {@code g} the
     * gate, at most {@code limit}, and {@code u} the other operand, kept between {@code -limit} and {@code limit}.
     */
    record SwigluOai(float alpha, float limit) implements OpParameters {}

    // ---- rows and matrices

    /** {@link Op#NORM}, {@link Op#RMS_NORM} and {@link Op#L2_NORM}: what keeps the divisor from being zero. */
    record Norm(float epsilon) implements OpParameters {}

    /** {@link Op#GROUP_NORM}: into how many groups the channels fall, and what keeps the divisor from being zero. */
    record GroupNorm(int groups, float epsilon) implements OpParameters {}

    /** {@link Op#MUL_MAT}. */
    record MulMat(Precision precision, MulMatHint hint) implements OpParameters {

        /** Default precision, no hint. */
        public static final MulMat DEFAULT = new MulMat(Precision.DEFAULT, MulMatHint.NONE);
    }

    /** {@link Op#DIAG_MASK_INF} and {@link Op#DIAG_MASK_ZERO}: the number of columns before the diagonal. */
    record DiagMask(int past) implements OpParameters {}

    /** {@link Op#TRI}. */
    record Tri(TriangleKind kind) implements OpParameters {}

    /** {@link Op#ARGSORT}. */
    record Argsort(SortOrder order) implements OpParameters {}

    // ---- attention

    /** {@link Op#SOFT_MAX}: scores are multiplied with {@code scale}; {@code maxBias} above 0 asks for ALiBi slopes. */
    record SoftMax(float scale, float maxBias) implements OpParameters {}

    /** {@link Op#FLASH_ATTN_EXT}: as {@link SoftMax}; a {@code logitSoftcap} above 0 bounds the scores by tanh. */
    record FlashAttention(float scale, float maxBias, float logitSoftcap, Precision precision)
            implements OpParameters {}

    /**
     * {@link Op#ROPE} and {@link Op#ROPE_BACK}: {@code dimensions} elements of each row, from element {@code offset}
     * on, are rotated in pairs. The sections count only for the modes that {@linkplain RopeMode#usesSections() use}
     * them.
     */
    record Rope(int dimensions, RopeMode mode, int offset, RopeSections sections, RopeFrequencies frequencies)
            implements OpParameters {

        /** Plain rotation from the first element of each row on, with base 10000. */
        public static Rope of(int dimensions, RopeMode mode) {
            return new Rope(dimensions, mode, 0, RopeSections.NONE, RopeFrequencies.PLAIN);
        }

        /** The same with other angles. */
        public Rope withFrequencies(RopeFrequencies newFrequencies) {
            return new Rope(dimensions, mode, offset, sections, newFrequencies);
        }

        /** The same for tokens with four positions. */
        public Rope withSections(RopeSections newSections) {
            return new Rope(dimensions, mode, offset, newSections, frequencies);
        }

        /** The same for the elements of a row from {@code newOffset} on. */
        public Rope withOffset(int newOffset) {
            return new Rope(dimensions, mode, newOffset, sections, frequencies);
        }
    }

    /** {@link Op#ADD_REL_POS}: whether the result overwrites its first operand. */
    record AddRelPos(boolean inPlace) implements OpParameters {}

    // ---- shapes and copies

    /** {@link Op#VIEW}: the byte offset of the view in its operand. */
    record View(long offset) implements OpParameters {}

    /** {@link Op#PERMUTE}: where dimension 0, 1, 2 and 3 of the operand went. */
    record Permute(int axis0, int axis1, int axis2, int axis3) implements OpParameters {}

    /** {@link Op#CONCAT}: along which dimension. */
    record Concat(int dimension) implements OpParameters {}

    /**
     * {@link Op#SET} and {@link Op#ACC}: where in the first operand the second one goes, as byte strides of
     * dimensions 1 to 3 and a byte offset, and whether the result overwrites the first operand.
     */
    record Region(long stride1, long stride2, long stride3, long offset, boolean inPlace) implements OpParameters {}

    // ---- windows that slide

    /** {@link Op#IM2COL}; of a sequence ({@code twoDimensional} false) only {@code width} counts. */
    record Im2col(Window width, Window height, boolean twoDimensional) implements OpParameters {}

    /** {@link Op#IM2COL_3D}; the last dimension of the operands holds {@code channels} per kernel or per image. */
    record Im2col3d(Window width, Window height, Window depth, long channels) implements OpParameters {}

    /** {@link Op#COL2IM_1D}. */
    record Col2im1d(int stride, int channels, int padding) implements OpParameters {}

    /** {@link Op#CONV_2D} and {@link Op#CONV_2D_DW}. */
    record Conv2d(Window width, Window height) implements OpParameters {}

    /** {@link Op#CONV_3D}; the last dimension of the operands counts channels times kernels or images. */
    record Conv3d(Window width, Window height, Window depth, int channels, int images, int kernels)
            implements OpParameters {}

    /** {@link Op#CONV_TRANSPOSE_1D} and {@link Op#CONV_TRANSPOSE_2D}. */
    record ConvTranspose(int stride) implements OpParameters {}

    /** {@link Op#POOL_1D}. */
    record Pool1d(PoolKind kind, int size, int stride, int padding) implements OpParameters {}

    /** {@link Op#POOL_2D}: size of the window, step and padding along rows (0) and columns (1). */
    record Pool2d(PoolKind kind, int size0, int size1, int stride0, int stride1, int padding0, int padding1)
            implements OpParameters {}

    // ---- images

    /** {@link Op#UPSCALE}. */
    record Interpolate(InterpolationMode mode, boolean alignCorners, boolean antialias) implements OpParameters {}

    /** {@link Op#PAD}: elements added before and after in each dimension: zeros, or the other end if circular. */
    record Pad(
            int before0,
            int after0,
            int before1,
            int after1,
            int before2,
            int after2,
            int before3,
            int after3,
            boolean circular)
            implements OpParameters {}

    /** {@link Op#PAD_REFLECT_1D}: elements mirrored before and after each row. */
    record PadReflect1d(int before, int after) implements OpParameters {}

    /** {@link Op#ROLL}: how far elements move in each dimension; what leaves at one end comes in at the other. */
    record Roll(int shift0, int shift1, int shift2, int shift3) implements OpParameters {}

    /** {@link Op#WIN_PART}: the number of windows in each direction, and their edge. */
    record WinPart(long columns, long rows, int edge) implements OpParameters {}

    /** {@link Op#WIN_UNPART}: the edge of a window. */
    record WinUnpart(int edge) implements OpParameters {}

    // ---- sequences

    /** {@link Op#ARANGE}: {@code start, start + step, ...} below {@code stop}. */
    record Arange(float start, float stop, float step) implements OpParameters {}

    /** {@link Op#TIMESTEP_EMBEDDING}: the length of an embedding and its slowest period. */
    record TimestepEmbedding(int dimensions, int maxPeriod) implements OpParameters {}

    /** {@link Op#SSM_SCAN} and {@link Op#GATED_DELTA_NET}: how many of the last states the result holds. */
    record Snapshots(int count) implements OpParameters {}

    /** {@link Op#GATED_LINEAR_ATTN}: what the query is multiplied with. */
    record GatedLinearAttention(float scale) implements OpParameters {}

    /** {@link Op#DSV4_HC_COMB}: what keeps divisors from being zero, and how often rows and columns are balanced. */
    record HyperConnection(float epsilon, int iterations) implements OpParameters {}

    // ---- the caller's own

    /** {@link Op#MAP_CUSTOM1} to {@link Op#CUSTOM}: the function and the most parts its work may be divided into. */
    record Custom(CustomOp function, int maxParts) implements OpParameters {

        public Custom {
            Objects.requireNonNull(function);
        }
    }
}
