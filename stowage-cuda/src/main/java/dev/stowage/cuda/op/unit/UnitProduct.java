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
import java.util.stream.Stream;
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

    private static final int QUERIES_KEYS_VALUES = 3;

    /** A matrix: where it is, how many rows it has, where its results go and what is added to them. */
    record Matrix(long address, long rows, Launch.Argument out, Launch.Argument bias) {}

    private final UnitFormat format;
    private final long k;
    private final Activations activations;
    private final int tokens;
    private final List<Matrix> matrices = new ArrayList<>();
    private Launch.Argument residual = Pointers.NONE;
    private @Nullable GluFunction glu;
    private @Nullable QuantizedActivations published;
    private Launch.Argument publishedNorm = Pointers.NONE;
    private @Nullable UsedExperts experts;
    /** A product of one matrix of another type with the same vector. */
    private @Nullable UnitProduct last;

    private @Nullable ProductTail tail;

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

    /**
     * The most tokens that are multiplied with a matrix at once. A small one is read as fast several times, and products of
     * few tokens, which are products of whole numbers, are exact; over short rows rounding errors do not average out.
     */
    public static int tokensAtOnce(BoundTensor matrix) {
        boolean isExact = Exactness.isShort(matrix.dim(0))
                || Exactness.isSmall(matrix.dim(0), matrix.shape().rows());
        return isExact ? MAX_FUSED_TOKENS : MAX_TOKENS;
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

    /** Whether matrices of these two types, the second of which is one, are multiplied with a vector in one launch. */
    public static boolean canMix(UnitFormat first, UnitFormat last, long k, Gpu gpu) {
        return gpu.isHopper()
                && UnitGemv.fits(last, k, gpu)
                && k % last.step() == 0
                && (first == UnitFormat.Q4_K || first == UnitFormat.Q5_K)
                && last == UnitFormat.Q6_K;
    }

    /** One matrix of a type that {@linkplain #canMix mixes} with that of the others, of which there are up to three. */
    public UnitProduct lastMatrix(BoundTensor weight, @Nullable BoundTensor bias, BoundTensor out) {
        UnitProduct product = of(weight, activations, tokens);
        this.last = bias == null ? product.matrix(weight, out) : product.matrix(weight, bias, out);
        return this;
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
        this.experts = new UsedExperts(ids, used, tokenStride, expertBytes, Pointers.NONE, 0);
        return this;
    }

    /**
     * The results of the used experts of a token are multiplied with their shares and added up to one result.
     *
     * @param stride floats from the shares of one token to those of the next
     */
    public UnitProduct addedUp(Launch.Argument shares, long stride) {
        UsedExperts each = experts().orElseThrow();
        this.experts = new UsedExperts(each.ids(), each.used(), each.tokenStride(), each.bytes(), shares, stride);
        return this;
    }

    /** Whether {@link #finishBy} can be. */
    public boolean canHaveTail(Gpu gpu) {
        boolean isOfThree = matrices.size() + (last == null ? 0 : 1) == QUERIES_KEYS_VALUES;
        return isOfThree && glu == null && published == null && !hasResidual() && UnitGemv.canHaveTail(this, gpu);
    }

    /** Has a tail do what follows with the results of the three matrices, which are not stored. */
    public UnitProduct finishBy(BoundTensor queries, ProductTail with) {
        Matrix first = matrices.getFirst();
        matrices.set(0, new Matrix(first.address(), first.rows(), Pointers.of(queries), first.bias()));
        this.tail = with;
        return this;
    }

    /** Whether the vectors of that many experts, whose results are added up, fit into shared memory. */
    public static boolean canAddUp(UnitFormat format, long k, int used, Gpu gpu) {
        return UnitGemv.fitsExperts(format, k, used, gpu);
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
        ProductRules.require(this);
        if (last != null) {
            UnitGemvOfTwo.launch(this, last, out);
        } else if (experts != null || UnitGemv.fits(this, out.gpu())) {
            UnitGemv.launch(this, out);
        } else {
            UnitBatch.launch(this, out);
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
        if (last != null && number == MAX_MATRICES - 1) {
            return last.matrices.getFirst();
        }
        return number < matrices.size() ? matrices.get(number) : new Matrix(0, 0, Pointers.NONE, Pointers.NONE);
    }

    Optional<ProductTail> tail() {
        return Optional.ofNullable(tail);
    }

    /** The product with the matrix of another type. */
    Optional<UnitProduct> last() {
        return Optional.ofNullable(last);
    }

    /** All matrices, the one of another type too. */
    Stream<Matrix> all() {
        return Stream.concat(matrices.stream(), last == null ? Stream.empty() : last.matrices.stream());
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

    Optional<UsedExperts> experts() {
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
