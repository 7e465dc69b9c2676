package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class RecurrentOpsTest {

    private static final int STATE = 16;
    private static final int HEAD = 8;
    private static final int HEADS = 4;
    private static final int TOKENS = 5;
    private static final int SEQUENCES = 3;

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor state = b.tensor(F32, STATE, HEAD, HEADS, 7).named("state");
    private final Tensor x = b.tensor(F32, HEAD, HEADS, TOKENS, SEQUENCES).named("x");
    private final Tensor dt = b.tensor(F32, HEADS, TOKENS, SEQUENCES).named("dt");
    private final Tensor a = b.tensor(F32, 1, HEADS).named("a");
    private final Tensor bc = b.tensor(F32, STATE, 2, TOKENS, SEQUENCES).named("bc");
    private final Tensor ids = b.tensor(I32, SEQUENCES).named("ids");

    @Test
    void convolvesAlongTokens() {
        Tensor data = b.tensor(F32, 3 + TOKENS, 32, SEQUENCES);
        Tensor kernel = b.tensor(F32, 4, 32);

        assertResult(b.ssmConv(data, kernel))
                .computes(Op.SSM_CONV)
                .reads(data, kernel)
                .isFresh(F32, 32, TOKENS, SEQUENCES);
    }

    @Test
    void refusesToConvolveOtherChannelsOrTooFewTokens() {
        Tensor data = b.tensor(F32, 8, 32);
        Tensor other = b.tensor(F32, 4, 31);
        Tensor longer = b.tensor(F32, 10, 32);

        assertRefused(b, () -> b.ssmConv(data, other), Op.SSM_CONV, "the same number of rows", data, other);
        assertRefused(b, () -> b.ssmConv(data, longer), Op.SSM_CONV, "not be shorter", data, longer);
    }

    @Test
    void scansAndKeepsTheLastState() {
        long outputs = (long) HEAD * HEADS * TOKENS * SEQUENCES;
        long states = (long) STATE * HEAD * HEADS * SEQUENCES;

        assertResult(b.ssmScan(state, x, dt, a, bc, bc, ids))
                .computes(Op.SSM_SCAN)
                .hasParameters(new OpParameters.Snapshots(1))
                .reads(state, x, dt, a, bc, bc, ids)
                .isFresh(F32, outputs + states);
        assertResult(b.ssmScan(state, x, dt, a, bc, bc, ids, 2))
                .hasParameters(new OpParameters.Snapshots(2))
                .isFresh(F32, outputs + 2 * states);
    }

    @Test
    void scansWithADecayForEachElementOfTheState() {
        Tensor fine = b.tensor(F32, STATE, HEADS);

        assertResult(b.ssmScan(state, x, dt, fine, bc, bc, ids)).reads(state, x, dt, fine, bc, bc, ids);
        assertRefused(
                b,
                () -> b.ssmScan(state, x, dt, fine, bc, bc, ids, 2),
                Op.SSM_SCAN,
                "if one state is kept",
                state,
                x,
                dt,
                fine,
                bc,
                ids);
    }

    @Test
    void refusesScansOfOtherShapes() {
        Tensor otherX = b.tensor(F32, HEAD, HEADS, TOKENS + 1, SEQUENCES);
        Tensor otherIds = b.tensor(I32, SEQUENCES + 1);

        assertRefused(
                b, () -> b.ssmScan(state, otherX, dt, a, bc, bc, ids), Op.SSM_SCAN, "dt must be", state, otherX, dt);
        assertRefused(
                b, () -> b.ssmScan(state, x, dt, a, bc, bc, otherIds), Op.SSM_SCAN, "one i32 for each", x, otherIds);
        assertRefused(b, () -> b.ssmScan(state, x, dt, a, bc, bc, ids, 0), Op.SSM_SCAN, "at least one state", state);
    }

    private Tensor perToken() {
        return b.tensor(F32, HEAD, HEADS, TOKENS);
    }

    @Test
    void keepsStatesAfterTheOutputOfEachToken() {
        Tensor k = perToken();
        Tensor v = perToken();
        Tensor r = perToken();
        Tensor w = perToken();
        Tensor first = b.tensor(F32, HEAD, HEADS);
        Tensor s = b.tensor(F32, HEAD * HEAD * HEADS, SEQUENCES);
        long rows = TOKENS + HEAD * SEQUENCES;

        assertResult(b.rwkvWkv6(k, v, r, first, w, s))
                .computes(Op.RWKV_WKV6)
                .reads(k, v, r, first, w, s)
                .isFresh(F32, HEAD * HEADS, rows);
        assertResult(b.rwkvWkv7(r, w, k, v, v, w, s))
                .computes(Op.RWKV_WKV7)
                .reads(r, w, k, v, v, w, s)
                .isFresh(F32, HEAD * HEADS, rows);
        assertResult(b.gatedLinearAttn(k, v, r, w, s, .5f))
                .computes(Op.GATED_LINEAR_ATTN)
                .hasParameters(new OpParameters.GatedLinearAttention(.5f))
                .reads(k, v, r, w, s)
                .isFresh(F32, HEAD * HEADS, rows);
    }

    @Test
    void refusesStatesOfOtherSizes() {
        Tensor k = perToken();
        Tensor s = b.tensor(F32, HEAD * HEADS, SEQUENCES);
        Tensor few = b.tensor(F32, HEAD, HEADS, TOKENS - 1);
        Tensor fits = b.tensor(F32, HEAD * HEAD * HEADS, SEQUENCES);

        assertRefused(b, () -> b.rwkvWkv6(k, k, k, k, k, s), Op.RWKV_WKV6, "the state must have", k, s);
        assertRefused(b, () -> b.rwkvWkv7(k, k, k, k, k, few, fits), Op.RWKV_WKV7, "size, heads and tokens", k, few);
        assertRefused(
                b,
                () -> b.gatedLinearAttn(k, few, k, k, fits, 1f),
                Op.GATED_LINEAR_ATTN,
                "size, heads and tokens",
                few);
    }

    @Test
    void appliesTheDeltaRule() {
        Tensor v = b.tensor(F32, HEAD, HEADS, TOKENS, SEQUENCES);
        Tensor gate = b.tensor(F32, 1, HEADS, TOKENS, SEQUENCES);
        Tensor s = b.tensor(F32, HEAD, HEAD, HEADS, SEQUENCES);

        assertResult(b.gatedDeltaNet(v, v, v, gate, gate, s, 2))
                .computes(Op.GATED_DELTA_NET)
                .hasParameters(new OpParameters.Snapshots(2))
                .reads(v, v, v, gate, gate, s)
                .isFresh(F32, HEAD * HEADS, TOKENS * SEQUENCES + 2 * HEAD * SEQUENCES);
    }

    @Test
    void refusesTheDeltaRuleForOtherStates() {
        Tensor v = b.tensor(F32, HEAD, HEADS, TOKENS, SEQUENCES);
        Tensor gate = b.tensor(F32, 1, HEADS, TOKENS, SEQUENCES);
        Tensor s = b.tensor(F32, HEAD, HEAD, HEADS, SEQUENCES - 1);

        assertRefused(
                b,
                () -> b.gatedDeltaNet(v, v, v, gate, gate, s, 1),
                Op.GATED_DELTA_NET,
                "the state must be",
                v,
                gate,
                s);
    }
}
