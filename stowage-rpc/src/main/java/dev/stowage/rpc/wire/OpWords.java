package dev.stowage.rpc.wire;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;
import dev.stowage.tensor.UnaryFunction;
import dev.stowage.tensor.Window;

/**
 * Writes the parameters of an op into the 16 words that ggml has for them. Which word means what is different for each op
 * and follows ggml's op functions; words that an op does not use are zero. {@link OpReader} reads them.
 */
public final class OpWords {

    private static final int ALIGN_CORNERS = 1 << 8;
    private static final int ANTIALIAS = 1 << 9;

    private OpWords() {}

    /**
     * The words of a tensor.
     *
     * @throws InvalidTensorException if its op is a function of the caller's, which no other process can call, or a
     *     parameter does not fit into a word
     */
    public static int[] of(Tensor tensor) {
        WordWriter out = new WordWriter();
        try {
            write(tensor, out);
        } catch (ArithmeticException _) {
            throw new InvalidTensorException(tensor.describe() + " has a parameter of more than 32 bits, "
                    + tensor.parameters() + ", which cannot be sent");
        }
        return out.words();
    }

    private static void write(Tensor tensor, WordWriter out) {
        switch (tensor.parameters()) {
            case OpParameters.None _ -> withoutParameters(tensor.op(), out);
            case OpParameters.Scale p -> out.floats(p.scale(), p.bias());
            case OpParameters.Clamp p -> out.floats(p.min(), p.max());
            case OpParameters.LeakyRelu p -> out.floats(p.slope());
            case OpParameters.Fill p -> out.floats(p.value());
            case OpParameters.Unary p -> out.ints(code(p.function()));
            case OpParameters.Xielu p -> xielu(p, out);
            case OpParameters.Glu p -> out.ints(code(p.function())).flag(p.swapped());
            case OpParameters.SwigluOai p -> swigluOai(p, out);
            case OpParameters.Norm p -> out.floats(p.epsilon());
            case OpParameters.GroupNorm p -> out.ints(p.groups()).floats(p.epsilon());
            case OpParameters.MulMat p -> out.ints(code(p.precision()), code(p.hint()));
            case OpParameters.DiagMask p -> out.ints(p.past());
            case OpParameters.Tri p -> out.ints(code(p.kind()));
            case OpParameters.Argsort p -> out.ints(code(p.order()));
            case OpParameters.SoftMax p -> out.floats(p.scale(), p.maxBias());
            case OpParameters.FlashAttention p -> flashAttention(p, out);
            case OpParameters.Rope p -> rope(p, out);
            case OpParameters.AddRelPos p -> out.flag(p.inPlace());
            case OpParameters.View p -> out.size(p.offset());
            case OpParameters.Permute p -> out.ints(p.axis0(), p.axis1(), p.axis2(), p.axis3());
            case OpParameters.Concat p -> out.ints(p.dimension());
            case OpParameters.Region p -> region(p, out);
            case OpParameters.Im2col p -> im2col(p, out);
            case OpParameters.Im2col3d p ->
                windows(out, p.width(), p.height(), p.depth()).ints(Math.toIntExact(p.channels()));
            case OpParameters.Col2im1d p -> out.ints(p.stride(), p.channels(), p.padding());
            case OpParameters.Conv2d p -> windows(out, p.width(), p.height());
            case OpParameters.Conv3d p ->
                windows(out, p.width(), p.height(), p.depth()).ints(p.channels(), p.images(), p.kernels());
            case OpParameters.ConvTranspose p -> convTranspose(tensor.op(), p, out);
            case OpParameters.Pool1d p -> out.ints(code(p.kind()), p.size(), p.stride(), p.padding());
            case OpParameters.Pool2d p -> pool2d(p, out);
            case OpParameters.Interpolate p -> interpolate(p, out);
            case OpParameters.Pad p -> pad(p, out);
            case OpParameters.PadReflect1d p -> out.ints(p.before(), p.after());
            case OpParameters.Roll p -> out.ints(p.shift0(), p.shift1(), p.shift2(), p.shift3());
            case OpParameters.WinPart p -> out.ints(Math.toIntExact(p.columns()), Math.toIntExact(p.rows()), p.edge());
            case OpParameters.WinUnpart p -> out.ints(p.edge());
            case OpParameters.Arange p -> out.floats(p.start(), p.stop(), p.step());
            case OpParameters.TimestepEmbedding p -> out.ints(p.dimensions(), p.maxPeriod());
            case OpParameters.Snapshots p -> out.ints(p.count());
            case OpParameters.GatedLinearAttention p -> out.floats(p.scale());
            case OpParameters.HyperConnection p -> out.floats(p.epsilon()).ints(p.iterations());
            case OpParameters.Custom _ ->
                throw new InvalidTensorException(tensor.describe()
                        + " is computed by a function of the caller's, which no other process can call");
        }
    }

    /** The sum of streams is multiplied with a factor that our op does not have. */
    private static void withoutParameters(Op op, WordWriter out) {
        if (op == Op.DSV4_HC_PRE) {
            out.floats(1f);
        }
    }

    private static void xielu(OpParameters.Xielu p, WordWriter out) {
        out.ints(code(UnaryFunction.XIELU)).floats(p.alphaNegative(), p.alphaPositive(), p.beta(), p.epsilon());
    }

    private static void swigluOai(OpParameters.SwigluOai p, WordWriter out) {
        out.ints(code(GluFunction.SWIGLU_OAI)).flag(false).floats(p.alpha(), p.limit());
    }

    private static void flashAttention(OpParameters.FlashAttention p, WordWriter out) {
        out.floats(p.scale(), p.maxBias(), p.logitSoftcap()).ints(code(p.precision()));
    }

    private static void rope(OpParameters.Rope p, WordWriter out) {
        var f = p.frequencies();
        out.ints(0, p.dimensions(), p.mode().code(), 0, f.originalContext())
                .floats(f.base(), f.scale(), f.extensionFactor(), f.attentionFactor(), f.betaFast(), f.betaSlow());
        if (p.mode().usesSections()) {
            var s = p.sections();
            out.ints(s.time(), s.height(), s.width(), s.extra());
        } else {
            out.ints(0, 0, 0, 0);
        }
        out.ints(p.offset());
    }

    private static void region(OpParameters.Region p, WordWriter out) {
        out.ints(
                        Math.toIntExact(p.stride1()),
                        Math.toIntExact(p.stride2()),
                        Math.toIntExact(p.stride3()),
                        Math.toIntExact(p.offset()))
                .flag(p.inPlace());
    }

    /** Of a sequence ggml's own functions leave the second dimension at zero, stride and dilation too. */
    private static void im2col(OpParameters.Im2col p, WordWriter out) {
        if (p.twoDimensional()) {
            windows(out, p.width(), p.height()).flag(true);
        } else {
            Window w = p.width();
            out.ints(w.stride(), 0, w.padding(), 0, w.dilation(), 0).flag(false);
        }
    }

    /** The strides of all dimensions, then the paddings, then the dilations. */
    private static WordWriter windows(WordWriter out, Window... dimensions) {
        for (Window window : dimensions) {
            out.ints(window.stride());
        }
        for (Window window : dimensions) {
            out.ints(window.padding());
        }
        for (Window window : dimensions) {
            out.ints(window.dilation());
        }
        return out;
    }

    /** Padding and dilation have a word in one dimension only, and no other value than these. */
    private static void convTranspose(Op op, OpParameters.ConvTranspose p, WordWriter out) {
        out.ints(p.stride());
        if (op == Op.CONV_TRANSPOSE_1D) {
            out.ints(0, 1);
        }
    }

    private static void pool2d(OpParameters.Pool2d p, WordWriter out) {
        out.ints(code(p.kind()))
                .ints(p.size0(), p.size1(), p.stride0(), p.stride1())
                .ints(p.padding0(), p.padding1());
    }

    private static void interpolate(OpParameters.Interpolate p, WordWriter out) {
        out.ints(code(p.mode()) | (p.alignCorners() ? ALIGN_CORNERS : 0) | (p.antialias() ? ANTIALIAS : 0));
    }

    private static void pad(OpParameters.Pad p, WordWriter out) {
        out.ints(p.before0(), p.after0(), p.before1(), p.after1())
                .ints(p.before2(), p.after2(), p.before3(), p.after3())
                .flag(p.circular());
    }

    public static int code(Precision precision) {
        return switch (precision) {
            case DEFAULT -> 0;
            case F32 -> 10;
        };
    }

    public static int code(MulMatHint hint) {
        return switch (hint) {
            case NONE -> 0;
            case FIRST_IS_HADAMARD -> 1;
        };
    }

    public static int code(TriangleKind kind) {
        return switch (kind) {
            case UPPER_DIAG -> 0;
            case UPPER -> 1;
            case LOWER_DIAG -> 2;
            case LOWER -> 3;
        };
    }

    public static int code(SortOrder order) {
        return switch (order) {
            case ASC -> 0;
            case DESC -> 1;
        };
    }

    public static int code(PoolKind kind) {
        return switch (kind) {
            case MAX -> 0;
            case AVG -> 1;
        };
    }

    public static int code(InterpolationMode mode) {
        return switch (mode) {
            case NEAREST -> 0;
            case BILINEAR -> 1;
            case BICUBIC -> 2;
        };
    }

    /** The functions are listed in the order of ggml's numbers. */
    @SuppressWarnings("EnumOrdinal")
    public static int code(UnaryFunction function) {
        return function.ordinal();
    }

    /** The functions are listed in the order of ggml's numbers. */
    @SuppressWarnings("EnumOrdinal")
    public static int code(GluFunction function) {
        return function.ordinal();
    }
}
