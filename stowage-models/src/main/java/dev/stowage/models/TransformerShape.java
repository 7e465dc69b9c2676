package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A decoder: layers of attention with grouped heads and of a gated feed-forward network, with RMS norms. It is of the
 * Llama family, except for its {@link TransformerTraits}, which can make it an encoder too.
 *
 * @param name the name it is asked for by
 * @param description a human-readable description
 * @param layers how many layers it has
 * @param width the length of a token's vector between the layers
 * @param heads how many heads the queries have
 * @param kvHeads how many heads keys and values have; a divisor of {@code heads}
 * @param headSize the length of a head's vector; {@code heads * headSize} need not be {@code width}
 * @param feedForward the length of a token's vector within the feed-forward network, or within each expert
 * @param vocabulary how many tokens there are
 * @param normEpsilon what the norms add before they divide
 * @param rope how positions are brought in
 * @param qkNorm whether each head of queries and keys has a norm of its own (Qwen 3)
 * @param tiedEmbeddings whether the embeddings of the tokens serve as the output matrix too
 * @param experts how many feed-forward networks a layer chooses from, 0 where it has a single one
 * @param usedExperts how many of them each token goes through, 0 where there is a single one
 * @param expertScale what the shares of the chosen experts are multiplied with, 0 for nothing
 * @param attentionScale what scores are multiplied with, 0 for one over the square root of the head size
 * @param traits what it has that Llama has not
 */
public record TransformerShape(
        String name,
        String description,
        int layers,
        int width,
        int heads,
        int kvHeads,
        int headSize,
        int feedForward,
        int vocabulary,
        float normEpsilon,
        RopeShape rope,
        boolean qkNorm,
        boolean tiedEmbeddings,
        int experts,
        int usedExperts,
        float expertScale,
        float attentionScale,
        TransformerTraits traits)
        implements ModelShape {

    /** A Llama with the usual scales. */
    public TransformerShape(
            String name,
            String description,
            int layers,
            int width,
            int heads,
            int kvHeads,
            int headSize,
            int feedForward,
            int vocabulary,
            float normEpsilon,
            RopeShape rope,
            boolean qkNorm,
            boolean tiedEmbeddings,
            int experts,
            int usedExperts) {
        this(
                name,
                description,
                layers,
                width,
                heads,
                kvHeads,
                headSize,
                feedForward,
                vocabulary,
                normEpsilon,
                rope,
                qkNorm,
                tiedEmbeddings,
                experts,
                usedExperts,
                0f,
                0f,
                TransformerTraits.NONE);
    }

    /**
     * @throws InvalidGraphException if there is no such model; the message says which number is impossible
     */
    public TransformerShape {
        Objects.requireNonNull(name);
        Objects.requireNonNull(description);
        Objects.requireNonNull(rope);
        Objects.requireNonNull(traits);
        requirePositive(name, layers, "layers");
        requirePositive(name, width, "width");
        requirePositive(name, kvHeads, "heads for keys and values");
        requirePositive(name, heads, "heads");
        requirePositive(name, headSize, "head size");
        requirePositive(name, feedForward, "feed-forward length");
        requirePositive(name, vocabulary, "vocabulary");
        require(
                name,
                heads % kvHeads == 0,
                heads + " heads are not a multiple of the " + kvHeads + " for keys and values");
        require(name, headSize % 2 == 0, "the head size " + headSize + " is odd, but elements are rotated in pairs");
        require(name, normEpsilon >= 0, "the epsilon " + normEpsilon + " of the norms is negative");
        require(
                name,
                usedExperts >= 0 && usedExperts <= experts && (usedExperts > 0 || experts == 0),
                usedExperts + " of " + experts + " experts cannot be used");
    }

    private static void requirePositive(String name, int number, String what) {
        require(name, number > 0, "the " + what + " must be above 0, not " + number);
    }

    private static void require(String name, boolean holds, String otherwise) {
        if (!holds) {
            throw new InvalidGraphException("invalid hyperparameters of '" + name + "': " + otherwise);
        }
    }

    private TransformerShape with(
            int newLayers,
            RopeShape newRope,
            int newExperts,
            int newUsedExperts,
            float newScale,
            TransformerTraits newTraits) {
        return new TransformerShape(
                name,
                description,
                newLayers,
                width,
                heads,
                kvHeads,
                headSize,
                feedForward,
                vocabulary,
                normEpsilon,
                newRope,
                qkNorm,
                tiedEmbeddings,
                newExperts,
                newUsedExperts,
                expertScale,
                newScale,
                newTraits);
    }

    /** The same shape with another number of layers. */
    public TransformerShape withLayers(int newLayers) {
        return with(newLayers, rope, experts, usedExperts, attentionScale, traits);
    }

    /** The same shape with a choice of feed-forward networks in each layer; 0 and 0 for a single one. */
    public TransformerShape withExperts(int newExperts, int newUsedExperts) {
        return with(layers, rope, newExperts, newUsedExperts, attentionScale, traits);
    }

    /** The same shape with other traits. */
    public TransformerShape with(TransformerTraits newTraits) {
        return with(layers, rope, experts, usedExperts, attentionScale, newTraits);
    }

    /** The same shape with positions brought in in another way. */
    public TransformerShape withRope(RopeShape newRope) {
        return with(layers, newRope, experts, usedExperts, attentionScale, traits);
    }

    /** The same shape with scores multiplied with something else. */
    public TransformerShape withAttentionScale(float newScale) {
        return with(layers, rope, experts, usedExperts, newScale, traits);
    }

    /** Whether tokens choose between several feed-forward networks. */
    public boolean hasExperts() {
        return experts > 0;
    }

    /** Whether it is read for the states of its tokens, and has neither logits nor a cache. */
    public boolean isEncoder() {
        return traits.encoder().isPresent();
    }

    /** Whether some layers look only at the last tokens. */
    public boolean hasWindows() {
        return IntStream.range(0, layers).anyMatch(traits.window()::isIn);
    }

    /** Whether some layers look at all tokens. */
    public boolean hasWholeLayers() {
        return !IntStream.range(0, layers).allMatch(traits.window()::isIn);
    }

    /** What scores are multiplied with before they become shares. */
    public float scoreScale() {
        return attentionScale == 0f ? 1f / (float) Math.sqrt(headSize) : attentionScale;
    }

    /** The length of all heads of a token's query together. */
    public long queryWidth() {
        return (long) heads * headSize;
    }

    /** The length of all heads of a token's key, or of its value, together. */
    public long kvWidth() {
        return (long) kvHeads * headSize;
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidGraphException if there are more than a long can count
     */
    @Override
    public long parameters() {
        try {
            long embeddings = Math.multiplyExact((long) vocabulary, tiedEmbeddings ? width : 2L * width);
            embeddings =
                    Math.addExact(embeddings, traits.encoder().map(this::added).orElse(0L));
            return Math.addExact(Math.addExact(embeddings, width), Math.multiplyExact(layers, perLayer()));
        } catch (ArithmeticException _) {
            throw new InvalidGraphException("the parameters of '" + name + "' are more than a long can count");
        }
    }

    /** What an encoder has beside its matrices: vectors of kinds and positions, and the biases of its norms. */
    private long added(EncoderTraits encoder) {
        long vectors = encoder.tokenTypes() + (encoder.positions() ? (long) rope.trainedContext() : 0);
        return Math.multiplyExact(width, vectors + 1 + 2L * layers);
    }

    private long perLayer() {
        long attention = Math.multiplyExact((long) width, 2 * queryWidth() + 2 * kvWidth());
        boolean gated = traits.encoder().map(EncoderTraits::gated).orElse(true);
        long network = Math.multiplyExact((gated ? 3L : 2L) * width, (long) feedForward);
        long shared = Math.multiplyExact(3L * width, (long) traits.sharedExpert());
        long networks = hasExperts()
                ? Math.addExact(Math.addExact(Math.multiplyExact(experts, network), (long) experts * width), shared)
                : network;
        long norms = (traits.norms() == NormPlacement.AROUND ? 4L : 2L) * width;
        return Math.addExact(Math.addExact(attention, networks), norms + headNorms());
    }

    private long headNorms() {
        return qkNorm ? queryNormLength() + keyNormLength() : 0;
    }

    /** How many numbers the norm of queries has. */
    long queryNormLength() {
        return traits.wholeNorms() ? queryWidth() : headSize;
    }

    /** How many numbers the norm of keys has. */
    long keyNormLength() {
        return traits.wholeNorms() ? kvWidth() : headSize;
    }

    /**
     * The same model without factors for the frequencies of its rope. llama.cpp has those on every device; as one
     * tensor on one of them they would cut every layer on the others in two.
     */
    public TransformerShape withoutRopeFactors() {
        return withRope(rope.withoutFrequencyFactors());
    }
}
