package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Sums, means and places of the largest, of numbers that do not cancel out to nothing. */
final class ReductionCases {

    private interface Reduction {
        Tensor of(GraphBuilder b, Tensor operand);
    }

    /** A sum of these is far from 0, so that the order of additions makes no visible difference. */
    private static final Fill POSITIVE = Fill.uniform(0.5, 1.5);

    private ReductionCases() {}

    static void addTo(CaseList cases) {
        reduction(cases, Op.SUM, GraphBuilder::sum);
        cases.add(Op.SUM, o -> o.b().sum(o.filled(POSITIVE, F16, 33, 3)));
        cases.add(Op.SUM, o -> o.b().sum(o.filled(POSITIVE, BF16, 33, 3)));
        reduction(cases, Op.SUM_ROWS, GraphBuilder::sumRows);
        reduction(cases, Op.MEAN, GraphBuilder::mean);
        reduction(cases, Op.CUMSUM, GraphBuilder::cumsum);
        argmax(cases);
        countEqual(cases);
    }

    private static void reduction(CaseList cases, Op op, Reduction function) {
        long[][] shapes = {{1}, {33, 3}, {7, 4, 3, 2}, {1025}, {1, 9}, {3, 0}};
        for (long[] shape : shapes) {
            cases.add(op, o -> function.of(o.b(), o.filled(POSITIVE, F32, shape)));
        }
        for (OperandLayout form :
                new OperandLayout[] {OperandLayout.CUT, OperandLayout.SPACED, OperandLayout.PERMUTED}) {
            cases.add(op, o -> function.of(o.b(), o.formed(form, POSITIVE, F32, 10, 4, 3, 2)));
        }
        cases.random(
                op,
                o -> function.of(
                        o.b(),
                        o.formed(
                                o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                                POSITIVE,
                                F32,
                                o.size(300),
                                o.size(9),
                                o.between(1, 4),
                                o.between(1, 2))));
    }

    private static void argmax(CaseList cases) {
        long[][] shapes = {{1}, {33, 3}, {257, 5}, {2, 40}, {9001, 3}, {50000}};
        for (long[] shape : shapes) {
            cases.add(Op.ARGMAX, o -> o.exact().b().argmax(o.filled(Fill.ranked(), F32, shape)));
        }
        cases.add(Op.ARGMAX, o -> o.exact().b().argmax(o.formed(OperandLayout.CUT, Fill.ranked(), F32, 33, 3)));
        cases.random(
                Op.ARGMAX,
                o -> o.exact()
                        .b()
                        .argmax(o.formed(
                                o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT),
                                Fill.ranked(),
                                F32,
                                o.size(300),
                                o.size(20))));
    }

    /** ggml's CPU code counts rows right as long as there are only two dimensions. */
    private static void countEqual(CaseList cases) {
        long[][] shapes = {{1}, {33, 3}, {513}, {4, 50}};
        for (long[] shape : shapes) {
            cases.add(
                    Op.COUNT_EQUAL,
                    o -> o.exact()
                            .b()
                            .countEqual(few(o, OperandLayout.PLAIN, shape), few(o, OperandLayout.PLAIN, shape)));
        }
        cases.add(
                Op.COUNT_EQUAL,
                o -> o.exact().b().countEqual(few(o, OperandLayout.CUT, 9, 4), few(o, OperandLayout.PLAIN, 9, 4)));
        cases.add(
                Op.COUNT_EQUAL,
                o -> o.exact()
                        .b()
                        .countEqual(few(o, OperandLayout.PLAIN, 9, 4), few(o, OperandLayout.TRANSPOSED, 9, 4)));
        cases.add(
                Op.COUNT_EQUAL,
                o -> o.exact()
                        .notInGgml()
                        .b()
                        .countEqual(few(o, OperandLayout.CUT, 7, 4, 3, 2), few(o, OperandLayout.PERMUTED, 7, 4, 3, 2)));
        cases.random(Op.COUNT_EQUAL, o -> {
            long[] shape = {o.size(130), o.size(30)};
            return o.exact()
                    .b()
                    .countEqual(
                            few(o, o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), shape),
                            few(o, o.oneOf(OperandLayout.PLAIN, OperandLayout.SPACED), shape));
        });
    }

    private static Tensor few(Operands o, OperandLayout form, long... shape) {
        return o.formed(form, Fill.numbers(3), I32, shape);
    }
}
