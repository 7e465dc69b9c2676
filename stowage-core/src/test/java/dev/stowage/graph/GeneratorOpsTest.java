package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class GeneratorOpsTest {

    private final GraphBuilder b = new GraphBuilder();

    @Test
    void countsTheElementsOfARange() {
        assertResult(b.arange(1f, 4f, 1f))
                .computes(Op.ARANGE)
                .hasParameters(new OpParameters.Arange(1f, 4f, 1f))
                .reads()
                .isFresh(F32, 3);
        assertResult(b.arange(1f, 4.5f, 1f)).isFresh(F32, 4);
    }

    @Test
    void refusesRangesWithoutAnEnd() {
        assertRefused(b, () -> b.arange(1f, 1f, 1f), Op.ARANGE, "rise from start to stop");
        assertRefused(b, () -> b.arange(0f, 1f, -1f), Op.ARANGE, "rise from start to stop");
        assertRefused(b, () -> b.arange(0f, Float.POSITIVE_INFINITY, 1f), Op.ARANGE, "there must be a last element");
    }

    @Test
    void embedsTimeSteps() {
        Tensor steps = b.tensor(F32, 5);

        assertResult(b.timestepEmbedding(steps, 321, 10000))
                .computes(Op.TIMESTEP_EMBEDDING)
                .hasParameters(new OpParameters.TimestepEmbedding(321, 10000))
                .reads(steps)
                .isFresh(F32, 321, 5);
    }

    @Test
    void refusesEmbeddingsOfNoLength() {
        Tensor steps = b.tensor(F32, 5);
        Tensor matrix = b.tensor(F32, 5, 2);

        assertRefused(b, () -> b.timestepEmbedding(steps, 0, 10000), Op.TIMESTEP_EMBEDDING, "above 0", steps);
        assertRefused(b, () -> b.timestepEmbedding(matrix, 8, 10000), Op.TIMESTEP_EMBEDDING, "one dimension", matrix);
    }

    @Test
    void fills() {
        Tensor x = b.tensor(F16, 8, 3);
        OpParameters.Fill seven = new OpParameters.Fill(7f);

        assertResult(b.fill(x, 7f))
                .computes(Op.FILL)
                .hasParameters(seven)
                .reads(x)
                .isFresh(F16, 8, 3);
        assertResult(b.fillInplace(x, 7f))
                .computes(Op.FILL)
                .hasParameters(seven)
                .reads(x)
                .overwrites(x);
    }

    @Test
    void refusesToFillWhatIsNotAFloatOrHasGaps() {
        Tensor whole = b.tensor(I32, 8);
        Tensor turned = b.transpose(b.tensor(F32, 8, 3));

        assertRefused(b, () -> b.fill(whole, 1f), Op.FILL, "f32 or f16", whole);
        assertRefused(b, () -> b.fillInplace(turned, 1f), Op.FILL, "without gaps", turned);
    }
}
