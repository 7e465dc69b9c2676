package dev.stowage.testkit.op;

import dev.stowage.tensor.ElementType;
import java.util.Arrays;
import java.util.List;

/** The groups of types that ops treat alike. */
final class TypeGroups {

    /** Every quantised type that weights come in. */
    static final List<ElementType> WEIGHTS = Arrays.stream(ElementType.values())
            .filter(ElementType::isQuantized)
            .filter(type -> type != ElementType.Q8_1 && type != ElementType.Q8_K)
            .toList();

    /** The quantised types that ggml's CPU code writes: the others are only ever made offline. */
    static final List<ElementType> WRITABLE = WEIGHTS.stream()
            .filter(type -> switch (type) {
                case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> false;
                default -> true;
            })
            .toList();

    /** The plain types that most ops take. */
    static final List<ElementType> FLOATS = List.of(ElementType.F32, ElementType.F16, ElementType.BF16);

    private TypeGroups() {}
}
