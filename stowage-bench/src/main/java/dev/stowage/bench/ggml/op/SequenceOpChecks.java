package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.op.OpPairs.Pair;
import dev.stowage.graph.GraphBuilder;

/** Ops that carry a state from token to token, and those that mix residual streams. */
final class SequenceOpChecks {

    private SequenceOpChecks() {}

    static void run(OpPairs t) {
        stateSpaces(t);
        linearAttention(t);
        hyperConnections(t);
    }

    private static void stateSpaces(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair data = t.f32(10, 6, 2);
        Pair kernel = t.f32(4, 6);
        t.same(b.ssmConv(data.ours(), kernel.ours()), "ggml_ssm_conv", data, kernel);
        Pair state = t.f32(8, 4, 6, 3);
        Pair x = t.f32(4, 6, 5, 2);
        Pair dt = t.f32(6, 5, 2);
        Pair a = t.f32(1, 6);
        Pair in = t.f32(8, 2, 5, 2);
        Pair out = t.f32(8, 2, 5, 2);
        Pair ids = t.i32(2);
        t.same(
                b.ssmScan(state.ours(), x.ours(), dt.ours(), a.ours(), in.ours(), out.ours(), ids.ours(), 3),
                "ggml_ssm_scan",
                state,
                x,
                dt,
                a,
                in,
                out,
                ids,
                3L);
    }

    private static void linearAttention(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair x = t.f32(8, 3, 5);
        Pair first = t.f32(8, 3);
        Pair state = t.f32(192, 2);
        t.same(
                b.rwkvWkv6(x.ours(), x.ours(), x.ours(), first.ours(), x.ours(), state.ours()),
                "ggml_rwkv_wkv6",
                x,
                x,
                x,
                first,
                x,
                state);
        t.same(
                b.rwkvWkv7(x.ours(), x.ours(), x.ours(), x.ours(), x.ours(), x.ours(), state.ours()),
                "ggml_rwkv_wkv7",
                x,
                x,
                x,
                x,
                x,
                x,
                state);
        t.same(
                b.gatedLinearAttn(x.ours(), x.ours(), x.ours(), x.ours(), state.ours(), 0.25f),
                "ggml_gated_linear_attn",
                x,
                x,
                x,
                x,
                state,
                0.25f);
        Pair v = t.f32(8, 3, 5, 2);
        Pair gate = t.f32(1, 3, 5, 2);
        Pair beta = t.f32(1, 3, 5, 2);
        Pair matrices = t.f32(8, 8, 3, 2);
        t.same(
                b.gatedDeltaNet(v.ours(), v.ours(), v.ours(), gate.ours(), beta.ours(), matrices.ours(), 3),
                "ggml_gated_delta_net",
                v,
                v,
                v,
                gate,
                beta,
                matrices,
                3L);
    }

    private static void hyperConnections(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair mixes = t.f32(24, 5);
        Pair scale = t.f32(3);
        Pair base = t.f32(24);
        t.same(
                b.dsv4HcComb(mixes.ours(), scale.ours(), base.ours(), 0.125f, 7),
                "ggml_dsv4_hc_comb",
                mixes,
                scale,
                base,
                0.125f,
                7);
        Pair streams = t.f32(8, 4, 5);
        Pair weights = t.f32(4, 5);
        Pair layer = t.f32(8, 5);
        Pair comb = t.f32(4, 4, 5);
        t.same(b.dsv4HcPre(streams.ours(), weights.ours()), "ggml_dsv4_hc_pre", streams, weights);
        t.same(
                b.dsv4HcPost(layer.ours(), streams.ours(), weights.ours(), comb.ours()),
                "ggml_dsv4_hc_post",
                layer,
                streams,
                weights,
                comb);
    }
}
