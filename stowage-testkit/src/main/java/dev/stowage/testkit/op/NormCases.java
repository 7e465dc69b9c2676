package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Normalisations of rows and of groups of channels, with an epsilon that counts and with one that does not. */
final class NormCases {

    private interface Norm {
        Tensor of(GraphBuilder b, Tensor operand, float epsilon);
    }

    private NormCases() {}

    static void addTo(CaseList cases) {
        norm(cases, Op.NORM, GraphBuilder::norm, GraphBuilder::normInplace);
        norm(cases, Op.RMS_NORM, GraphBuilder::rmsNorm, GraphBuilder::rmsNormInplace);
        norm(cases, Op.L2_NORM, GraphBuilder::l2Norm, GraphBuilder::l2NormInplace);
        groupNorm(cases);
    }

    private static void norm(CaseList cases, Op op, Norm function, Norm inPlace) {
        long[][] shapes = {{64, 3}, {33, 3}, {7, 4, 3, 2}, {1025}, {4, 0}};
        for (long[] shape : shapes) {
            cases.add(op, o -> function.of(o.b(), o.f32(shape), 1e-6f));
        }
        cases.add(op, o -> function.of(o.note("epsilon 0.5").b(), o.f32(33, 3), 0.5f));
        cases.add(
                op,
                o -> function.of(
                        o.note("epsilon 1e-5 of tiny rows").b(), o.filled(Fill.gaussian(1e-3), F32, 33, 3), 1e-5f));
        cases.add(op, o -> function.of(o.note("epsilon 10").b(), o.f32(9, 2), 10f));
        for (OperandLayout form :
                new OperandLayout[] {OperandLayout.CUT, OperandLayout.SPACED, OperandLayout.PERMUTED}) {
            cases.add(op, o -> function.of(o.b(), o.formed(form, F32, 10, 4, 3, 2), 1e-6f));
        }
        cases.add(op, o -> inPlace.of(o.b(), o.f32(33, 3), 1e-6f));
        cases.add(op, o -> inPlace.of(o.b(), o.formed(OperandLayout.CUT, F32, 9, 4, 2), 1e-6f));
        cases.random(op, o -> {
            Tensor a = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                    F32,
                    o.size(300) + 1,
                    o.size(9),
                    o.between(1, 4),
                    o.between(1, 2));
            float epsilon = o.oneOf(1e-6f, 1e-5f, 0.1f);
            return o.coin() ? function.of(o.b(), a, epsilon) : inPlace.of(o.b(), a, epsilon);
        });
    }

    private static void groupNorm(CaseList cases) {
        cases.add(Op.GROUP_NORM, o -> o.note("4 groups").b().groupNorm(o.f32(6, 5, 8), 4, 1e-6f));
        cases.add(Op.GROUP_NORM, o -> o.note("1 group").b().groupNorm(o.f32(7, 3, 5, 2), 1, 1e-6f));
        cases.add(Op.GROUP_NORM, o -> o.note("3 groups, the last smaller").b().groupNorm(o.f32(4, 4, 8), 3, 1e-6f));
        cases.add(Op.GROUP_NORM, o -> o.note("8 groups, epsilon 0.5").b().groupNorm(o.f32(4, 4, 8, 2), 8, 0.5f));
        cases.add(Op.GROUP_NORM, o -> o.note("2 groups").b().groupNormInplace(o.f32(5, 3, 6), 2, 1e-6f));
        cases.add(
                Op.GROUP_NORM,
                o -> o.note("2 groups").b().groupNorm(o.formed(OperandLayout.CUT, F32, 5, 3, 6), 2, 1e-6f));
        cases.random(Op.GROUP_NORM, o -> {
            int groups = o.between(1, 6);
            Tensor a = o.f32(o.size(20), o.size(20) + 1, (long) groups * o.between(1, 4), o.between(1, 2));
            o.note(groups + " groups");
            float epsilon = o.oneOf(1e-6f, 0.1f);
            return o.coin() ? o.b().groupNorm(a, groups, epsilon) : o.b().groupNormInplace(a, groups, epsilon);
        });
    }
}
