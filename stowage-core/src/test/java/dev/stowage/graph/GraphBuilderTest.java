package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.Q4_0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class GraphBuilderTest {

    private final GraphBuilder b = new GraphBuilder();

    @Test
    void makesLeaves() {
        Tensor leaf = b.tensor(Q4_0, 64, 3);

        assertResult(leaf).computes(Op.NONE).reads().isFresh(Q4_0, 64, 3);
        assertThat(leaf.name()).isEmpty();
        assertThat(leaf.isInput() || leaf.isWeight() || leaf.isOutput()).isFalse();
    }

    @Test
    void makesInputsAndWeightsByName() {
        Tensor input = b.input("tokens", F32, 4);
        Tensor weight = b.weight("table", F16, 4, 9);

        assertThat(input.name()).isEqualTo("tokens");
        assertThat(input.isInput()).isTrue();
        assertThat(weight.name()).isEqualTo("table");
        assertThat(weight.isWeight()).isTrue();
    }

    @Test
    void makesLeavesLikeOthers() {
        Tensor model = b.transpose(b.tensor(F16, 8, 3));

        assertResult(b.duplicate(model)).computes(Op.NONE).reads().isFresh(F16, 3, 8);
    }

    @Test
    void makesLeavesThatShareBytes() {
        Tensor whole = b.tensor(F16, 8, 3).named("whole");
        Tensor turned = b.transpose(whole);
        Tensor view = b.viewOf(turned);

        assertResult(view)
                .computes(Op.NONE)
                .reads()
                .isViewOf(whole, 0)
                .hasShape(3, 8)
                .hasStrides(16, 2, 48, 48);
        assertThat(view.name()).isEqualTo("whole (transposed) (view)");
    }

    @Test
    void listsWhatItMadeInOrder() {
        Tensor x = b.tensor(F32, 4);
        Tensor y = b.relu(x);
        Tensor z = b.viewOf(y);

        assertThat(b.tensors()).containsExactly(x, y, z);
    }

    @Test
    void forgetsWhatWasRefused() {
        Tensor x = b.tensor(F32, 4);

        assertThatExceptionOfType(InvalidTensorException.class).isThrownBy(() -> b.tensor(Q4_0, 5));
        assertThatExceptionOfType(InvalidTensorException.class).isThrownBy(() -> b.reshape(x, 5));
        assertThat(b.tensors()).containsExactly(x);
    }

    @Test
    void buildsTheGraphOfItsRoots() {
        Tensor w = b.weight("w", F32, 4, 6);
        Tensor x = b.input("x", F32, 4, 2);
        Tensor y = b.mulMat(w, x);
        Tensor z = b.relu(y);
        b.sqr(z);

        Graph graph = b.build(y, z);

        assertThat(graph.nodes()).containsExactly(y, z);
        assertThat(graph.leaves()).containsExactly(w, x);
    }

    @Test
    void takesTensorsOfOtherBuilders() {
        Tensor w = new GraphBuilder().weight("w", F32, 4, 6);
        Tensor x = b.input("x", F32, 4, 2);

        assertResult(b.mulMat(w, x)).reads(w, x);
        assertThat(b.tensors()).doesNotContain(w);
    }
}
