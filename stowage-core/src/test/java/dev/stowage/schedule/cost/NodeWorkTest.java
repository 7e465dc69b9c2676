package dev.stowage.schedule.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** What nodes come to: the expected numbers are counted from the definition of each op. */
class NodeWorkTest {

    private static final long FLOAT = Float.BYTES;

    private final GraphBuilder ops = new GraphBuilder();

    private Tensor floats(long... dimensions) {
        return ops.tensor(ElementType.F32, dimensions);
    }

    @Test
    void aProductOfMatricesMultipliesAndAddsOncePerElementOfEachRow() {
        NodeWork work = NodeWork.of(ops.mulMat(floats(8, 5), floats(8, 3)));

        assertThat(work.flops()).isEqualTo(2.0 * 8 * 5 * 3);
        assertThat(work.bytes()).isEqualTo(FLOAT * (8.0 * 5 + 8 * 3 + 5 * 3));
    }

    @Test
    void quantisedWeightsCountWithTheBytesTheyHave() {
        Tensor weights = ops.tensor(ElementType.Q4_0, 64, 2);

        assertThat(NodeWork.of(ops.mulMat(weights, floats(64, 1))).bytes())
                .isEqualTo(weights.byteSize() + FLOAT * (64.0 + 2));
    }

    @Test
    void aTableCountsOnlyWithTheRowsThatAreTaken() {
        NodeWork work = NodeWork.of(ops.getRows(floats(16, 1000), ops.tensor(ElementType.I32, 3)));

        assertThat(work.bytes()).isEqualTo(2 * FLOAT * 16 * 3 + Integer.BYTES * 3.0);
    }

    @Test
    void aCacheCountsOnlyWithTheRowsThatAreWritten() {
        NodeWork work = NodeWork.of(ops.setRows(floats(16, 1000), floats(16, 3), ops.tensor(ElementType.I64, 3)));

        assertThat(work.bytes()).isEqualTo(2 * FLOAT * 16 * 3 + Long.BYTES * 3.0);
    }

    @Test
    void expertsCountOnlyAsFarAsTheyCanBeInUse() {
        Tensor experts = floats(4, 6, 10);
        NodeWork work = NodeWork.of(ops.mulMatId(experts, floats(4, 2, 1), ops.tensor(ElementType.I32, 2, 1)));

        assertThat(work.flops()).isEqualTo(2.0 * 4 * 6 * 2);
        assertThat(work.bytes()).isEqualTo(FLOAT * (2.0 * 4 * 6 + 4 * 2 + 6 * 2) + Integer.BYTES * 2);
    }

    @Test
    void attentionMultipliesEveryQueryWithEveryKeyAndWeighsEveryValue() {
        Tensor query = floats(8, 3, 2);
        Tensor key = ops.tensor(ElementType.F16, 8, 5, 2);
        Tensor value = ops.tensor(ElementType.F16, 4, 5, 2);

        assertThat(NodeWork.of(ops.flashAttention(query, key, value, null, 1, 0, 0))
                        .flops())
                .isEqualTo(2.0 * 3 * 2 * 5 * (8 + 4));
    }

    @Test
    void gapsBetweenElementsAreNotMoved() {
        Tensor wide = floats(16, 4);
        Tensor part = ops.view2d(wide, 2, 4, wide.stride(1), 0);

        assertThat(NodeWork.of(ops.cont(part)).bytes()).isEqualTo(2 * FLOAT * 2 * 4.0);
    }
}
