package dev.stowage.cuda.op.matrix;

import dev.stowage.tensor.ElementType;

/** The types that tensor cores multiply. */
public enum HalfType {
    F16("f16", "to_half_", "gather_half"),
    BF16("bf16", "to_bfloat_", "gather_bfloat");

    private final String suffix;
    private final String narrowing;
    private final String gathering;

    HalfType(String suffix, String narrowing, String gathering) {
        this.suffix = suffix;
        this.narrowing = narrowing;
        this.gathering = gathering;
    }

    /**
     * What weights of a type are multiplied as: bf16 as they are, since f16 lacks their range, and all others as f16. The
     * reference rounds the other factor of f16 and bf16 weights in the same way.
     */
    public static HalfType of(ElementType weights) {
        return weights == ElementType.BF16 ? BF16 : F16;
    }

    /** The ending of the names of kernels that multiply this type. */
    String suffix() {
        return suffix;
    }

    /** The kernel that turns rows of that type into this one. */
    String narrowing(ElementType rows) {
        return narrowing + RowTypes.suffix(rows);
    }

    /** The kernel that turns the rows of a list into this type. */
    String gathering() {
        return gathering;
    }

    boolean is(ElementType type) {
        return type == (this == BF16 ? ElementType.BF16 : ElementType.F16);
    }
}
