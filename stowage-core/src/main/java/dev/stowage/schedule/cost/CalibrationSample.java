package dev.stowage.schedule.cost;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** A node that stands for others of its kind when a device is measured, in any size. */
enum CalibrationSample {
    /** A matrix times a vector: every weight is read once for one multiplication, so bytes decide. */
    MATRIX_BY_VECTOR(WorkKind.MATRIX, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.mulMat(
                    ops.tensor(weights, row(weights, size), size), ops.tensor(ElementType.F32, row(weights, size)));
        }
    },
    /** A matrix times a matrix: every weight is used many times, so flops decide. */
    MATRIX_BY_MATRIX(WorkKind.MATRIX, Bound.FLOPS) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.mulMat(
                    ops.tensor(weights, row(weights, size), size),
                    ops.tensor(ElementType.F32, row(weights, size), size));
        }
    },
    ATTENTION_OF_ONE(WorkKind.ATTENTION, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return attention(ops, 1, size * size / HEAD + 1);
        }
    },
    ATTENTION_OF_MANY(WorkKind.ATTENTION, Bound.FLOPS) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return attention(ops, size, size);
        }
    },
    SUM(WorkKind.ELEMENTWISE, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.add(ops.tensor(ElementType.F32, size, size), ops.tensor(ElementType.F32, size, size));
        }
    },
    RMS_NORM(WorkKind.NORM, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.rmsNorm(ops.tensor(ElementType.F32, size, size), SMALL);
        }
    },
    SOFT_MAX(WorkKind.SOFT_MAX, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.softMax(ops.tensor(ElementType.F32, size, size));
        }
    },
    GET_ROWS(WorkKind.ROWS, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.getRows(ops.tensor(ElementType.F32, size, size), ops.tensor(ElementType.I32, size));
        }
    },
    DUP(WorkKind.COPY, Bound.BYTES) {
        @Override
        Tensor make(GraphBuilder ops, ElementType weights, long size) {
            return ops.dup(ops.tensor(ElementType.F32, size, size));
        }
    };

    /** What a large node of this kind keeps busy. */
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

    /** The node, in the size given; sizes are powers of two. */
    abstract Tensor make(GraphBuilder ops, ElementType weights, long size);

    /** Rows of weights come in whole blocks. */
    private static long row(ElementType weights, long size) {
        return Math.max(size, weights.blockSize());
    }

    private static Tensor attention(GraphBuilder ops, long queries, long keys) {
        Tensor query = ops.tensor(ElementType.F32, HEAD, queries, 1);
        Tensor key = ops.tensor(ElementType.F16, HEAD, keys, 1);
        Tensor value = ops.tensor(ElementType.F16, HEAD, keys, 1);
        return ops.flashAttention(query, key, value, null, 1, 0, 0);
    }
}
