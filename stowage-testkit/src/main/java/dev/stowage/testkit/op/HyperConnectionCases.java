package dev.stowage.testkit.op;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Residual streams mixed around a layer. */
final class HyperConnectionCases {

    private HyperConnectionCases() {}

    static void addTo(CaseList cases) {
        cases.add(Op.DSV4_HC_COMB, o -> mixed(o, 1, 1e-6f, 20));
        cases.add(Op.DSV4_HC_COMB, o -> mixed(o, 9, 1e-6f, 1));
        cases.add(Op.DSV4_HC_COMB, o -> mixed(o, 5, 0.05f, 3));
        cases.random(Op.DSV4_HC_COMB, o -> mixed(o, o.size(33), o.oneOf(1e-6f, 0.01f), o.between(1, 20)));
        cases.add(Op.DSV4_HC_PRE, o -> o.b().dsv4HcPre(o.f32(33, 4, 5), o.f32(4, 5)));
        cases.add(Op.DSV4_HC_PRE, o -> o.b().dsv4HcPre(o.f32(1, 1, 1), o.f32(1, 1)));
        cases.random(Op.DSV4_HC_PRE, o -> {
            long streams = o.between(1, 5);
            long tokens = o.size(12);
            return o.b().dsv4HcPre(o.f32(o.size(70), streams, tokens), o.f32(streams, tokens));
        });
        cases.add(Op.DSV4_HC_POST, o -> after(o, 33, 4, 5));
        cases.add(Op.DSV4_HC_POST, o -> after(o, 1, 1, 1));
        cases.random(Op.DSV4_HC_POST, o -> after(o, o.size(70), o.between(1, 5), o.size(12)));
    }

    private static Tensor mixed(Operands o, int tokens, float epsilon, int iterations) {
        return o.note(iterations + " rounds, epsilon " + epsilon)
                .within(Tolerances.TABLE)
                .b()
                .dsv4HcComb(o.f32(24, tokens), o.f32(3), o.f32(24), epsilon, iterations);
    }

    private static Tensor after(Operands o, int n, int streams, int tokens) {
        return o.b().dsv4HcPost(
                        o.f32(n, tokens),
                        o.f32(n, streams, tokens),
                        o.f32(streams, tokens),
                        o.f32(streams, streams, tokens));
    }
}
