package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class HyperConnectionOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor streams = b.tensor(F32, 64, 4, 5).named("streams");

    @Test
    void makesMatricesThatMix() {
        Tensor mixes = b.tensor(F32, 24, 5);
        Tensor scale = b.tensor(F32, 3);
        Tensor base = b.tensor(F32, 24);

        assertResult(b.dsv4HcComb(mixes, scale, base, 1e-6f, 20))
                .computes(Op.DSV4_HC_COMB)
                .hasParameters(new OpParameters.HyperConnection(1e-6f, 20))
                .reads(mixes, scale, base)
                .isFresh(F32, 4, 4, 5);
    }

    @Test
    void refusesMixesOfOtherThanFourStreams() {
        Tensor mixes = b.tensor(F32, 15, 5);
        Tensor scale = b.tensor(F32, 3);
        Tensor base = b.tensor(F32, 15);

        assertRefused(
                b,
                () -> b.dsv4HcComb(mixes, scale, base, 1e-6f, 20),
                Op.DSV4_HC_COMB,
                "[24, tokens]",
                mixes,
                scale,
                base);
    }

    @Test
    void sumsStreamsUpBeforeALayer() {
        Tensor weights = b.tensor(F32, 4, 5);

        assertResult(b.dsv4HcPre(streams, weights))
                .computes(Op.DSV4_HC_PRE)
                .reads(streams, weights)
                .isFresh(F32, 64, 5);
    }

    @Test
    void refusesWeightsOfOtherStreams() {
        Tensor three = b.tensor(F32, 3, 5);
        Tensor half = b.tensor(F16, 4, 5);

        assertRefused(b, () -> b.dsv4HcPre(streams, three), Op.DSV4_HC_PRE, "one weight for each", streams, three);
        assertRefused(b, () -> b.dsv4HcPre(streams, half), Op.DSV4_HC_PRE, "must be f32", streams, half);
    }

    @Test
    void mixesStreamsAfterALayer() {
        Tensor x = b.tensor(F32, 64, 5);
        Tensor post = b.tensor(F32, 4, 5);
        Tensor comb = b.tensor(F32, 4, 4, 5);

        assertResult(b.dsv4HcPost(x, streams, post, comb))
                .computes(Op.DSV4_HC_POST)
                .reads(x, streams, post, comb)
                .isFresh(F32, 64, 4, 5);
    }

    @Test
    void refusesResidualsOfOtherTokens() {
        Tensor x = b.tensor(F32, 64, 6);
        Tensor post = b.tensor(F32, 4, 6);
        Tensor comb = b.tensor(F32, 4, 4, 6);

        assertRefused(
                b,
                () -> b.dsv4HcPost(x, streams, post, comb),
                Op.DSV4_HC_POST,
                "the residual must be",
                x,
                streams,
                post);
    }
}
