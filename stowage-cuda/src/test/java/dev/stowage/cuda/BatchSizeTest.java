package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** When the weights of a node are worth copying to the GPU, as ggml's CUDA backend decides it. */
class BatchSizeTest {

    private final GraphBuilder b = new GraphBuilder();

    private Tensor f32(long... shape) {
        return b.tensor(ElementType.F32, shape);
    }

    @Test
    void countsTheColumnsOfAProduct() {
        Tensor weights = f32(64, 128);
        assertThat(BatchSize.isWorthOffloading(b.mulMat(weights, f32(64, 31)))).isFalse();
        assertThat(BatchSize.isWorthOffloading(b.mulMat(weights, f32(64, 32)))).isTrue();
        assertThat(BatchSize.of(b.mulMat(weights, f32(64, 3, 40)))).isEqualTo(3);
    }

    @Test
    void countsTheRowsOfOtherOps() {
        assertThat(BatchSize.of(b.scale(f32(1000, 2, 3, 5), 2))).isEqualTo(30);
    }

    @Test
    void neverCopiesATableToReadAFewRowsOfIt() {
        Tensor rows = b.tensor(ElementType.I32, 512);
        assertThat(BatchSize.isWorthOffloading(b.getRows(f32(64, 1000), rows))).isFalse();
    }
}
