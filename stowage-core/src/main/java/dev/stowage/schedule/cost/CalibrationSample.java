package dev.stowage.schedule.cost;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** Sample nodes of every kind of work, in any size, that devices are measured with. */
enum CalibrationSample {
    /** Matrix times vector: every weight is read once, so it is bound by memory. */
    MATRIX_BY_VECTOR(WorkKind.MATRIX, Bound.BYTES),
    /** Matrix times matrix: every weight is used many times, so it is bound by computing. */
    MATRIX_BY_MATRIX(WorkKind.MATRIX, Bound.FLOPS),
    ATTENTION_OF_ONE(WorkKind.ATTENTION, Bound.BYTES),
    ATTENTION_OF_MANY(WorkKind.ATTENTION, Bound.FLOPS),
    SUM(WorkKind.ELEMENTWISE, Bound.BYTES),
    RMS_NORM(WorkKind.NORM, Bound.BYTES),
    SOFT_MAX(WorkKind.SOFT_MAX, Bound.BYTES),
    GET_ROWS(WorkKind.ROWS, Bound.BYTES),
    DUP(WorkKind.COPY, Bound.BYTES);

    /** The resource that limits a large node of this kind. */
    enum Bound {
        FLOPS,
        BYTES
    }

    private static final long HEAD = 64;
    private static final float SMALL = 1e-5f;

    private final WorkKind kind;
    private final Bound bound;

    CalibrationSample(WorkKind kind, Bound bound) {
        this.kind = kind;
        this.bound = bound;
    }

    WorkKind kind() {
        return kind;
    }

    Bound bound() {
        return bound;
    }

    /** The node in the given size, a power of two. */
    Tensor make(GraphBuilder ops, ElementType weights, long size) {
        return switch (this) {
            case MATRIX_BY_VECTOR -> product(ops, weights, size, 1);
            case MATRIX_BY_MATRIX -> product(ops, weights, size, size);
            case ATTENTION_OF_ONE -> attention(ops, 1, size * size / HEAD + 1);
            case ATTENTION_OF_MANY -> attention(ops, size, size);
            case SUM -> ops.add(square(ops, size), square(ops, size));
            case RMS_NORM -> ops.rmsNorm(square(ops, size), SMALL);
            case SOFT_MAX -> ops.softMax(square(ops, size));
            case GET_ROWS -> ops.getRows(square(ops, size), ops.tensor(ElementType.I32, size));
            case DUP -> ops.dup(square(ops, size));
        };
    }

    private static Tensor square(GraphBuilder ops, long size) {
        return ops.tensor(ElementType.F32, size, size);
    }

    /** Rows of weights have whole blocks. */
    private static Tensor product(GraphBuilder ops, ElementType weights, long size, long columns) {
        long row = Math.max(size, weights.blockSize());
        return ops.mulMat(ops.tensor(weights, row, size), ops.tensor(ElementType.F32, row, columns));
    }

    private static Tensor attention(GraphBuilder ops, long queries, long keys) {
        Tensor query = ops.tensor(ElementType.F32, HEAD, queries, 1);
        Tensor key = ops.tensor(ElementType.F16, HEAD, keys, 1);
        Tensor value = ops.tensor(ElementType.F16, HEAD, keys, 1);
        return ops.flashAttention(query, key, value, null, 1, 0, 0);
    }
}
