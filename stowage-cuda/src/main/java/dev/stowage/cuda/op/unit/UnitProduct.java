package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.memory.unit.UnitFormat;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.GluFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Products of up to four matrices in units with the same vectors of activations, and what is done with the results before
 * they are stored: all in one launch for up to {@value UnitGemv#MAX_TOKENS} tokens, in two for more. Matrices have the same
 * type and the same rows' length.
 *
 * {@snippet :
 * UnitProduct.of(gate, activations, 1)
 *         .matrix(gate, null).matrix(up, null)
 *         .glu(GluFunction.SWIGLU)
 *         .publish(published, Pointers.NONE)
 *         .launch(out);
 * }
 */
public final class UnitProduct {

    /** The most matrices. */
    public static final int MAX_MATRICES = 4;

    /** The most tokens of one product; more are processed in several. */
    public static final int MAX_TOKENS = UnitBatch.MAX_TOKENS;

    /** The most tokens of a product that is one launch, and can publish its result. */
    public static final int MAX_FUSED_TOKENS = UnitGemv.MAX_TOKENS;

    /** A matrix: where it is, how many rows it has, where its results go and what is added to them. */
    record Matrix(long address, long rows, Launch.Argument out, Launch.Argument bias) {}

    /**
     * Experts are chosen on the device: the matrices are those of the first expert.
     *
     * @param ids the numbers of the used experts of the first token
     * @param used how many experts a token uses
     * @param tokenStride numbers from the ids of one token to those of the next
     * @param bytes the bytes of an expert's matrix
     */
    record Experts(Launch.Argument ids, int used, long tokenStride, long bytes) {}

    private final UnitFormat format;
    private final long k;
    private final Activations activations;
    private final int tokens;
    private final List<Matrix> matrices = new ArrayList<>();
    private Launch.Argument residual = Pointers.NONE;
    private @Nullable GluFunction glu;
    private @Nullable QuantizedActivations published;
    private Launch.Argument publishedNorm = Pointers.NONE;
    private @Nullable Experts experts;

    private UnitProduct(UnitFormat format, long k, Activations activations, int tokens) {
        this.format = format;
        this.k = k;
        this.activations = activations;
        this.tokens = tokens;
    }

    /** A product with matrices of that type and rows of {@code k} weights. */
    public static UnitProduct of(UnitFormat format, long k, Activations activations, int tokens) {
        return new UnitProduct(format, k, activations, tokens);
    }

    /** A product with matrices like that one. */
    public static UnitProduct of(BoundTensor like, Activations activations, int tokens) {
        UnitLayout layout = UnitLayout.of(like.layout()).orElseThrow();
        return of(layout.format(), layout.k(), activations, tokens);
    }

    /** One matrix more; results of a token are {@code rows} floats, those of the next token follow. */
    public UnitProduct matrix(long address, long rows, Launch.Argument out, Launch.Argument bias) {
        if (matrices.size() == MAX_MATRICES) {
            throw new IllegalArgumentException("a product has at most " + MAX_MATRICES + " matrices");
        }
        matrices.add(new Matrix(address, rows, out, bias));
        return this;
    }

    /** One matrix more, whose results are stored in a tensor, or not at all. */
    public UnitProduct matrix(BoundTensor weight, @Nullable BoundTensor out) {
        return matrix(
                DeviceAddress.of(weight), weight.dim(1), out == null ? Pointers.NONE : Pointers.of(out), Pointers.NONE);
    }

    /** As {@link #matrix(BoundTensor, BoundTensor)}, with a row that is added to the results of every token. */
    public UnitProduct matrix(BoundTensor weight, BoundTensor bias, @Nullable BoundTensor out) {
        return matrix(
                DeviceAddress.of(weight),
                weight.dim(1),
                out == null ? Pointers.NONE : Pointers.of(out),
                Pointers.of(bias));
    }

    /** Adds rows to the results, one for each token without gaps; may be where the results go. One matrix, or a GLU. */
    public UnitProduct residual(Launch.Argument rows) {
        this.residual = rows;
        return this;
    }

    /** Combines the first matrix, the gate, and the second into one result, which goes where the first's would. */
    public UnitProduct glu(GluFunction function) {
        this.glu = function;
        return this;
    }

    /**
     * Publishes the results as activations of the next product, times the weight of the RMS norm before it, where there is
     * one. One matrix, or a GLU; up to {@value UnitGemv#MAX_TOKENS} tokens.
     */
    public UnitProduct publish(QuantizedActivations target, Launch.Argument norm) {
        this.published = target;
        this.publishedNorm = norm;
        return this;
    }

    /**
     * Every token uses some of several experts; its results are those of its used experts one after the other.
     *
     * @param tokenStride numbers from the ids of one token to those of the next
     * @param expertBytes the bytes of an expert's matrix in units
     */
    public UnitProduct experts(Launch.Argument ids, int used, long tokenStride, long expertBytes) {
        this.experts = new Experts(ids, used, tokenStride, expertBytes);
        return this;
    }

    /** Whether the result of such a product can be published: it is one launch, and weights are quantised. */
    public boolean canPublish(Gpu gpu) {
        return tokens <= MAX_FUSED_TOKENS && tokens * UnitGemv.vectorBytes(format, k) * 2 <= gpu.sharedBytesPerBlock();
    }

    /** Whether that gated unit can be computed. */
    public static boolean supports(GluFunction function) {
        return function != GluFunction.SWIGLU_OAI;
    }

    /** Adds the launches. */
    public void launch(LaunchSink out) {
        requireConsistent();
        if (experts != null || UnitGemv.fits(this, out.gpu())) {
            UnitGemv.launch(this, out);
        } else {
            UnitBatch.launch(this, out);
        }
    }

    private void requireConsistent() {
        require(!matrices.isEmpty(), "has no matrix");
        require(glu == null || (matrices.size() == 2 && supports(glu)), "is a gated unit of two matrices");
        require(
                glu == null || matrices.get(0).rows() == matrices.get(1).rows(),
                "is a gated unit of matrices with the same rows");
        boolean isSingle = matrices.size() == 1 || glu != null;
        require(isSingle || !hasResidual(), "adds a residual to one result only");
        require(isSingle || published == null, "publishes one result only");
        require(!activations.isQuantized() || format.isQuantized(), "multiplies floats with floats");
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException("a product " + rule);
        }
    }

    UnitFormat format() {
        return format;
    }

    long k() {
        return k;
    }

    Activations activations() {
        return activations;
    }

    int tokens() {
        return tokens;
    }

    List<Matrix> matrices() {
        return matrices;
    }

    /** The matrix of that number; one without rows where there is none. */
    Matrix matrix(int number) {
        return number < matrices.size() ? matrices.get(number) : new Matrix(0, 0, Pointers.NONE, Pointers.NONE);
    }

    boolean hasResidual() {
        return !residual.equals(Pointers.NONE);
    }

    Launch.Argument residual() {
        return residual;
    }

    Optional<QuantizedActivations> published() {
        return Optional.ofNullable(published);
    }

    Launch.Argument publishedNorm() {
        return publishedNorm;
    }

    Optional<Experts> experts() {
        return Optional.ofNullable(experts);
    }

    /** The gated unit as kernels number them; 0 for none. */
    int gluNumber() {
        return glu == null
                ? 0
                : switch (glu) {
                    case REGLU -> 1;
                    case GEGLU -> 2;
                    case SWIGLU -> 3;
                    case SWIGLU_OAI -> throw new IllegalStateException("refused before");
                    case GEGLU_ERF -> 5;
                    case GEGLU_QUICK -> 6;
                };
    }
}
