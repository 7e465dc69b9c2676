package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Layers with a state: one token and many, one sequence and several, states that are kept along the way. */
final class RecurrentCases {

    /** Numbers small enough that a state neither dies nor explodes over the tokens of a case. */
    private static final Fill MILD = Fill.gaussian(0.3);

    private static final Fill SHARE = Fill.uniform(0.05, 0.95);

    private RecurrentCases() {}

    static void addTo(CaseList cases) {
        ssmConv(cases);
        ssmScan(cases);
        rwkv(cases);
        deltaNet(cases);
    }

    private static void ssmConv(CaseList cases) {
        cases.add(Op.SSM_CONV, o -> o.b().ssmConv(o.f32(4, 33, 1), o.f32(4, 33)));
        cases.add(Op.SSM_CONV, o -> o.b().ssmConv(o.f32(3 + 9, 16, 2), o.f32(4, 16)));
        cases.add(Op.SSM_CONV, o -> o.b().ssmConv(o.f32(1, 1, 1), o.f32(1, 1)));
        cases.random(Op.SSM_CONV, o -> {
            int kernel = o.between(1, 5);
            int inner = o.size(40);
            return o.b().ssmConv(o.f32(kernel - 1L + o.size(20), inner, o.between(1, 4)), o.f32(kernel, inner));
        });
    }

    private static void ssmScan(CaseList cases) {
        cases.add(Op.SSM_SCAN, o -> scanned(o, 16, 1, 33, 1, 1, 1, 1, false));
        cases.add(Op.SSM_SCAN, o -> scanned(o, 16, 1, 16, 1, 9, 2, 1, false));
        cases.add(Op.SSM_SCAN, o -> scanned(o, 32, 4, 4, 2, 5, 2, 1, true));
        cases.add(Op.SSM_SCAN, o -> scanned(o, 17, 3, 2, 1, 1, 3, 1, true));
        cases.add(Op.SSM_SCAN, o -> scanned(o, 16, 4, 2, 2, 6, 2, 3, true));
        cases.random(Op.SSM_SCAN, o -> {
            boolean perHead = o.coin();
            int groups = perHead ? o.between(1, 2) : 1;
            int tokens = o.size(9);
            return scanned(
                    o,
                    o.size(33),
                    perHead ? o.between(1, 6) : 1,
                    groups * o.between(1, 4),
                    groups,
                    tokens,
                    o.between(1, 3),
                    perHead ? o.between(1, tokens) : 1,
                    perHead);
        });
    }

    private static Tensor scanned(
            Operands o,
            int n,
            int d,
            int heads,
            int groups,
            int tokens,
            int sequences,
            int snapshots,
            boolean perHead) {
        int states = sequences + 1;
        return o.note(snapshots + " kept")
                .b()
                .ssmScan(
                        o.f32(n, d, heads, states),
                        o.f32(d, heads, tokens, sequences),
                        o.f32(heads, tokens, sequences),
                        o.filled(Fill.uniform(-1, -0.1), F32, perHead ? 1 : n, heads),
                        o.f32(n, groups, tokens, sequences),
                        o.f32(n, groups, tokens, sequences),
                        o.filled(Fill.distinct(states), I32, sequences),
                        snapshots);
    }

    private static void rwkv(CaseList cases) {
        int[][] sizes = {{32, 2, 1, 1}, {16, 3, 6, 2}, {64, 1, 5, 1}, {8, 4, 12, 3}};
        for (int[] size : sizes) {
            cases.add(Op.RWKV_WKV6, o -> wkv6(o, size[0], size[1], size[2], size[3]));
            cases.add(Op.RWKV_WKV7, o -> wkv7(o, size[0], size[1], size[2], size[3]));
            cases.add(Op.GATED_LINEAR_ATTN, o -> linear(o, size[0], size[1], size[2], size[3]));
        }
        cases.random(Op.RWKV_WKV6, o -> {
            int sequences = o.between(1, 3);
            return wkv6(o, 8 * o.between(1, 6), o.between(1, 4), sequences * o.between(1, 5), sequences);
        });
        cases.random(Op.RWKV_WKV7, o -> {
            int sequences = o.between(1, 3);
            return wkv7(o, 8 * o.between(1, 6), o.between(1, 4), sequences * o.between(1, 5), sequences);
        });
        cases.random(Op.GATED_LINEAR_ATTN, o -> {
            int sequences = o.between(1, 3);
            return linear(o, 8 * o.between(1, 6), o.between(1, 4), sequences * o.between(1, 5), sequences);
        });
    }

    private static Tensor wkv6(Operands o, int size, int heads, int tokens, int sequences) {
        return o.b().rwkvWkv6(
                        mild(o, size, heads, tokens),
                        mild(o, size, heads, tokens),
                        mild(o, size, heads, tokens),
                        mild(o, size, heads),
                        o.filled(SHARE, F32, size, heads, tokens),
                        mild(o, (long) size * size * heads, sequences));
    }

    private static Tensor wkv7(Operands o, int size, int heads, int tokens, int sequences) {
        return o.b().rwkvWkv7(
                        mild(o, size, heads, tokens),
                        o.filled(SHARE, F32, size, heads, tokens),
                        mild(o, size, heads, tokens),
                        mild(o, size, heads, tokens),
                        o.filled(Fill.gaussian(0.1), F32, size, heads, tokens),
                        o.filled(Fill.gaussian(0.1), F32, size, heads, tokens),
                        mild(o, (long) size * size * heads, sequences));
    }

    private static Tensor linear(Operands o, int size, int heads, int tokens, int sequences) {
        return o.b().gatedLinearAttn(
                        mild(o, size, heads, tokens),
                        mild(o, size, heads, tokens),
                        mild(o, size, heads, tokens),
                        o.filled(SHARE, F32, size, heads, tokens),
                        mild(o, (long) size * size * heads, sequences),
                        0.25f);
    }

    private static Tensor mild(Operands o, long... shape) {
        return o.filled(MILD, F32, shape);
    }

    private static void deltaNet(CaseList cases) {
        cases.add(Op.GATED_DELTA_NET, o -> delta(o, OperandLayout.PLAIN, 16, 4, 4, 1, 1, 1, false));
        cases.add(Op.GATED_DELTA_NET, o -> delta(o, OperandLayout.PLAIN, 32, 2, 4, 5, 2, 1, false));
        cases.add(Op.GATED_DELTA_NET, o -> delta(o, OperandLayout.PLAIN, 16, 2, 2, 6, 2, 3, false));
        cases.add(Op.GATED_DELTA_NET, o -> delta(o, OperandLayout.PLAIN, 16, 2, 2, 6, 1, 1, true));
        cases.add(Op.GATED_DELTA_NET, o -> delta(o, OperandLayout.PERMUTED, 16, 3, 3, 4, 2, 1, false));
        cases.random(Op.GATED_DELTA_NET, o -> {
            int shared = o.between(1, 3);
            int tokens = o.size(9);
            return delta(
                    o,
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.PERMUTED),
                    8 * o.between(1, 4),
                    shared,
                    shared * o.between(1, 2),
                    tokens,
                    o.between(1, 2),
                    o.between(1, Math.min(3, tokens)),
                    o.coin());
        });
    }

    private static Tensor delta(
            Operands o,
            OperandLayout form,
            int size,
            int shared,
            int heads,
            int tokens,
            int sequences,
            int snapshots,
            boolean wide) {
        Fill key = Fill.gaussian(1 / Math.sqrt(size));
        return o.note(snapshots + " kept")
                .b()
                .gatedDeltaNet(
                        o.formed(form, key, F32, size, shared, tokens, sequences),
                        o.formed(form, key, F32, size, shared, tokens, sequences),
                        o.formed(form, F32, size, heads, tokens, sequences),
                        o.filled(Fill.uniform(-2, -0.01), F32, wide ? size : 1, heads, tokens, sequences),
                        o.filled(SHARE, F32, 1, heads, tokens, sequences),
                        mild(o, size, size, heads, sequences),
                        snapshots);
    }
}
