package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.ElementType;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Which element types weights and caches come in, and what a matrix gets whose rows do not suit the one asked for. */
public final class WeightTypes {

    /** Types that only exist while something is computed, or that no file of weights has. */
    private static final Set<ElementType> NOT_STORED = EnumSet.of(ElementType.Q8_1, ElementType.Q8_K, ElementType.F64);

    private static final Set<ElementType> WEIGHTS = Collections.unmodifiableSet(Arrays.stream(ElementType.values())
            .filter(type -> !type.isInteger() && !NOT_STORED.contains(type))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(ElementType.class))));

    private static final Set<ElementType> CACHES = Collections.unmodifiableSet(EnumSet.of(
            ElementType.F32,
            ElementType.F16,
            ElementType.BF16,
            ElementType.Q8_0,
            ElementType.Q5_1,
            ElementType.Q5_0,
            ElementType.Q4_1,
            ElementType.Q4_0,
            ElementType.IQ4_NL));

    private WeightTypes() {}

    /** The types that weights can have. */
    public static Set<ElementType> weights() {
        return WEIGHTS;
    }

    /** The types that caches can have: those that rows can be written to one at a time. */
    public static Set<ElementType> caches() {
        return CACHES;
    }

    static void requireWeightType(ElementType type) {
        require(type, "weights", WEIGHTS);
    }

    static void requireCacheType(ElementType type, boolean flash) {
        require(type, "a cache", CACHES);
        if (type.isQuantized() && !flash) {
            throw new InvalidGraphException("a " + type + " cache needs flash attention: without it values are"
                    + " stored one by one, and " + type + " comes in blocks of " + type.blockSize());
        }
    }

    private static void require(ElementType type, String what, Set<ElementType> possible) {
        if (!possible.contains(type)) {
            throw new InvalidGraphException(what + " cannot be " + type + "; possible are "
                    + possible.stream().map(ElementType::label).collect(Collectors.joining(", ")));
        }
    }

    /** The type asked for, or f16 for rows that are not a whole number of its blocks. */
    static ElementType forRows(ElementType wanted, long rowLength) {
        return rowLength % wanted.blockSize() == 0 ? wanted : ElementType.F16;
    }
}
