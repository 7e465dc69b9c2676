package dev.stowage.bench.llm;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a model of random weights is to look like. It begins as a plain Llama, and whatever is special about others is
 * added to it.
 *
 * @param architecture the name llama.cpp has for it
 * @param sizes how large everything is
 * @param tokens how many there are
 * @param rope how positions are encoded
 * @param experts how many networks a layer chooses from
 * @param traits what else it has
 * @param numbers further numbers that its metadata has, by their keys without the name of the architecture
 */
record ModelRecipe(
        String architecture,
        Sizes sizes,
        Tokens tokens,
        Rope rope,
        Experts experts,
        Set<Trait> traits,
        Map<String, Number> numbers) {

    /**
     * How large everything is.
     *
     * @param layers how many there are
     * @param width how many numbers a token is between layers
     * @param heads how many heads of queries a layer has
     * @param sharedHeads how many heads of keys and values they share
     * @param headSize how many numbers a head has
     * @param feedForward how many numbers a token is within a feed-forward network
     */
    record Sizes(int layers, int width, int heads, int sharedHeads, int headSize, int feedForward) {

        /** How many numbers all queries of a token are. */
        int queries() {
            return heads * headSize;
        }

        /** How many numbers all keys of a token are, and all its values. */
        int keys() {
            return sharedHeads * headSize;
        }
    }

    /**
     * How many tokens there are.
     *
     * @param known how many a made-up tokenizer knows
     * @param context how many at a time the model says it was trained on
     */
    record Tokens(int known, int context) {}

    /**
     * How positions are encoded.
     *
     * @param base what frequencies are powers of
     * @param scaling how positions are stretched, as the metadata calls it; empty where they are not
     * @param factor by how much they are
     * @param originalContext how many tokens there were before that
     */
    record Rope(float base, String scaling, float factor, int originalContext) {

        static Rope plain(float base) {
            return new Rope(base, "", 1, 0);
        }

        boolean isScaled() {
            return !scaling.isEmpty();
        }
    }

    /**
     * How many networks a layer chooses from.
     *
     * @param count how many there are; 0 where there is one that is always used
     * @param used how many of them a token goes through
     */
    record Experts(int count, int used) {

        static final Experts NONE = new Experts(0, 0);

        boolean isNone() {
            return count == 0;
        }
    }

    /** What a model has or has not. */
    enum Trait {
        /** The embeddings serve as the output too. */
        TIED,
        /** Queries, keys and values have something added to them. */
        BIASES,
        /** Heads of queries and keys are normalised. */
        HEAD_NORMS,
        /** A tensor says by how much each frequency is divided. */
        FREQUENCY_FACTORS,
        /** Two tensors say so, one for short contexts and one for long ones. */
        LONG_FACTORS,
        /** Norms are after attention and network too. */
        NORMS_AROUND,
        /** Norms are after attention and network alone. */
        NORMS_AFTER,
        /** Norms of queries and keys are over all heads together. */
        WHOLE_NORMS,
        /** Queries, keys and values are one matrix, gate and up another. */
        FUSED,
        /** No layer has rope. */
        NO_ROPE,
        /** Each head has a score more, and experts have biases. */
        SINKS,
        /** Tokens look at all others, and norms are layer norms after sums. */
        ENCODER,
        /** An encoder has a gate in its networks. */
        GATED
    }

    ModelRecipe {
        traits = Set.copyOf(traits);
        numbers = Collections.unmodifiableMap(new TreeMap<>(numbers));
    }

    /** A Llama whose heads divide the width among them. */
    static ModelRecipe llama(int layers, int width, int heads, int sharedHeads, int feedForward) {
        return new ModelRecipe(
                "llama",
                new Sizes(layers, width, heads, sharedHeads, width / heads, feedForward),
                new Tokens(512, 256),
                Rope.plain(10_000),
                Experts.NONE,
                Set.of(),
                Map.of());
    }

    /** The same by another name, which means more than a name to those who compute it. */
    ModelRecipe as(String name) {
        return new ModelRecipe(name, sizes, tokens, rope, experts, traits, numbers);
    }

    /** The same with heads of another size than their share of the width. */
    ModelRecipe withHeadSize(int size) {
        Sizes other =
                new Sizes(sizes.layers(), sizes.width(), sizes.heads(), sizes.sharedHeads(), size, sizes.feedForward());
        return new ModelRecipe(architecture, other, tokens, rope, experts, traits, numbers);
    }

    ModelRecipe with(Sizes other) {
        return new ModelRecipe(architecture, other, tokens, rope, experts, traits, numbers);
    }

    ModelRecipe with(Tokens other) {
        return new ModelRecipe(architecture, sizes, other, rope, experts, traits, numbers);
    }

    ModelRecipe with(Rope other) {
        return new ModelRecipe(architecture, sizes, tokens, other, experts, traits, numbers);
    }

    ModelRecipe with(Experts other) {
        return new ModelRecipe(architecture, sizes, tokens, rope, other, traits, numbers);
    }

    ModelRecipe with(Trait trait) {
        Set<Trait> more = EnumSet.of(trait);
        more.addAll(traits);
        return new ModelRecipe(architecture, sizes, tokens, rope, experts, more, numbers);
    }

    /** The same with one more number in its metadata. */
    ModelRecipe with(String key, Number value) {
        Map<String, Number> more = new TreeMap<>(numbers);
        more.put(key, value);
        return new ModelRecipe(architecture, sizes, tokens, rope, experts, traits, more);
    }

    /** How many elements of a head are rotated by position. */
    int rotated() {
        return numbers.getOrDefault("rope.dimension_count", sizes.headSize()).intValue();
    }

    /** The length within the expert that every token goes through, where there is one. */
    OptionalInt sharedExpert() {
        Number within = numbers.get("expert_shared_feed_forward_length");
        return within == null ? OptionalInt.empty() : OptionalInt.of(within.intValue());
    }

    boolean has(Trait trait) {
        return traits.contains(trait);
    }
}
