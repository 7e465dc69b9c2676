package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Map;

/** Arithmetic element by element: broadcasts, mixed types, strides, in place. */
final class ElementwiseCases {

    private interface Binary {
        Tensor of(GraphBuilder b, Tensor first, Tensor second);
    }

    private interface Unary {
        Tensor of(GraphBuilder b, Tensor operand);
    }

    /** Divisors and arguments of roots and logarithms: far enough from 0 that a rounding does not become an error. */
    private static final Fill POSITIVE = Fill.uniform(0.1, 10);

    private static final long[][] SHAPES = {{1}, {7}, {33, 3}, {16, 5, 3}, {5, 4, 3, 2}, {257}, {0}, {4, 0, 2}};

    private ElementwiseCases() {}

    static void addTo(CaseList cases) {
        Map<Op, Binary> plain = Map.of(
                Op.ADD,
                GraphBuilder::add,
                Op.SUB,
                GraphBuilder::sub,
                Op.MUL,
                GraphBuilder::mul,
                Op.DIV,
                GraphBuilder::div);
        Map<Op, Binary> inPlace = Map.of(
                Op.ADD, GraphBuilder::addInplace,
                Op.SUB, GraphBuilder::subInplace,
                Op.MUL, GraphBuilder::mulInplace,
                Op.DIV, GraphBuilder::divInplace);
        for (Op op : new Op[] {Op.ADD, Op.SUB, Op.MUL, Op.DIV}) {
            binary(
                    cases,
                    op,
                    plain.getOrDefault(op, GraphBuilder::add),
                    inPlace.getOrDefault(op, GraphBuilder::addInplace));
        }
        quantizedSums(cases);
        addId(cases);
        add1(cases);
        scale(cases);
        unary(cases, Op.SQR, Fill.gaussian(1), GraphBuilder::sqr, GraphBuilder::sqrInplace);
        unary(cases, Op.SQRT, POSITIVE, GraphBuilder::sqrt, GraphBuilder::sqrtInplace);
        unary(cases, Op.LOG, POSITIVE, GraphBuilder::log, GraphBuilder::logInplace);
        unary(cases, Op.SIN, Fill.uniform(-6, 6), GraphBuilder::sin, GraphBuilder::sinInplace);
        unary(cases, Op.COS, Fill.uniform(-6, 6), GraphBuilder::cos, GraphBuilder::cosInplace);
        clamp(cases);
        leakyRelu(cases);
    }

    private static void binary(CaseList cases, Op op, Binary function, Binary inPlace) {
        for (long[] shape : SHAPES) {
            cases.add(op, o -> function.of(o.b(), o.f32(shape), o.filled(POSITIVE, F32, shape)));
        }
        long[][] repeated = {{1}, {16}, {1, 5}, {16, 1, 3}, {8, 5, 3, 2}, {1, 1, 3}, {4, 1, 1, 1}};
        for (long[] second : repeated) {
            cases.add(op, o -> function.of(o.b(), o.f32(16, 5, 3, 2), o.filled(POSITIVE, F32, second)));
        }
        ElementType[][] types = {{F16, F16}, {F16, F32}, {BF16, BF16}, {BF16, F32}};
        for (ElementType[] pair : types) {
            cases.add(op, o -> function.of(o.b(), o.of(pair[0], 33, 3), o.filled(POSITIVE, pair[1], 33, 3)));
            cases.add(op, o -> function.of(o.b(), o.of(pair[0], 10, 4, 2), o.filled(POSITIVE, pair[1], 10, 1, 2)));
        }
        for (OperandLayout form :
                new OperandLayout[] {OperandLayout.CUT, OperandLayout.SPACED, OperandLayout.PERMUTED}) {
            cases.add(
                    op,
                    o -> function.of(o.b(), o.formed(form, F32, 10, 4, 3, 2), o.filled(POSITIVE, F32, 10, 4, 3, 2)));
            cases.add(op, o -> function.of(o.b(), o.f32(10, 4, 3, 2), o.formed(form, POSITIVE, F32, 10, 4, 3, 2)));
            cases.add(op, o -> function.of(o.b(), o.formed(form, F32, 10, 4, 3), o.formed(form, POSITIVE, F32, 10, 2)));
        }
        cases.add(
                op,
                o -> function.of(o.b(), o.f32(6, 5, 2), o.formed(OperandLayout.TRANSPOSED, POSITIVE, F32, 6, 5, 2)));
        cases.add(
                op,
                o -> function.of(
                        o.note("of specials").b(), o.filled(Fill.special(), F32, 41), o.filled(POSITIVE, F32, 41)));
        cases.add(op, o -> inPlace.of(o.b(), o.f32(33, 3), o.filled(POSITIVE, F32, 33, 3)));
        cases.add(op, o -> inPlace.of(o.b(), o.f32(16, 5, 2), o.filled(POSITIVE, F32, 16)));
        cases.add(
                op,
                o -> inPlace.of(o.b(), o.formed(OperandLayout.CUT, F32, 9, 4, 2), o.filled(POSITIVE, F32, 9, 4, 2)));
        cases.random(op, o -> {
            int[] shape = {o.size(130), o.size(9), o.between(1, 4), o.between(1, 3)};
            long[] first = new long[4];
            for (int i = 0; i < 4; i++) {
                first[i] = (long) shape[i] * (o.coin() ? 1 : o.between(1, 3));
            }
            ElementType type = o.oneOf(F32, F32, F16, BF16);
            Tensor a = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                    type,
                    first);
            ElementType other = o.coin() ? type : F32;
            Tensor b = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                    POSITIVE,
                    other,
                    shape[0],
                    shape[1],
                    shape[2],
                    shape[3]);
            return o.coin() ? function.of(o.b(), a, b) : inPlace.of(o.b(), a, b);
        });
    }

    private static void quantizedSums(CaseList cases) {
        for (ElementType type : TypeGroups.WRITABLE) {
            cases.add(Op.ADD, o -> o.b().add(o.of(type, 256, 3), o.f32(256, 3)));
        }
        for (ElementType type : TypeGroups.WEIGHTS) {
            cases.add(Op.ADD, o -> o.note("cast").b().addCast(o.of(type, 256, 3), o.f32(256, 3), F32));
        }
        cases.add(Op.ADD, o -> o.note("cast").b().addCast(o.of(F16, 33, 3), o.f32(33, 3), F32));
        cases.add(Op.ADD, o -> o.note("cast").b().addCast(o.of(BF16, 33, 3), o.f32(33), F32));
    }

    private static void addId(CaseList cases) {
        cases.add(Op.ADD_ID, o -> o.b().addId(o.f32(16, 4, 5), o.f32(16, 8), ids(o, 8, 4, 5)));
        cases.add(Op.ADD_ID, o -> o.b().addId(o.f32(33, 1, 1), o.f32(33, 1), ids(o, 1, 1, 1)));
        cases.add(Op.ADD_ID, o -> o.b().addId(o.f32(7, 2, 9), o.formed(OperandLayout.CUT, F32, 7, 6), ids(o, 6, 2, 9)));
        cases.add(Op.ADD_ID, o -> o.b().addId(o.formed(OperandLayout.CUT, F32, 7, 2, 9), o.f32(7, 6), ids(o, 6, 2, 9)));
        cases.add(Op.ADD_ID, o -> {
            Tensor all = o.filled(Fill.numbers(6), I32, 4, 9);
            return o.b().addId(o.f32(7, 2, 9), o.f32(7, 6), o.b().view2d(all, 2, 9, all.stride(1), 0));
        });
        cases.random(Op.ADD_ID, o -> {
            int n = o.size(70);
            int experts = o.between(1, 16);
            int used = o.between(1, 6);
            int tokens = o.size(20);
            return o.b().addId(
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), F32, n, used, tokens),
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), F32, n, experts),
                            ids(o, experts, used, tokens));
        });
    }

    private static Tensor ids(Operands o, int bound, long used, long tokens) {
        return o.filled(Fill.numbers(bound), I32, used, tokens);
    }

    private static void add1(CaseList cases) {
        for (ElementType type : TypeGroups.FLOATS) {
            cases.add(Op.ADD1, o -> o.b().add1(o.of(type, 33, 3), o.f32(1)));
            cases.add(Op.ADD1, o -> o.b().add1(o.formed(OperandLayout.SPACED, type, 33, 3), o.f32(1)));
        }
        cases.add(Op.ADD1, o -> o.b().add1(o.of(F16, 9, 4), o.of(F16, 1)));
        cases.add(Op.ADD1, o -> o.b().add1(o.of(BF16, 9, 4), o.of(BF16, 1)));
        cases.add(Op.ADD1, o -> o.b().add1(o.f32(5, 4, 3, 2), o.f32(1)));
        cases.add(Op.ADD1, o -> o.b().add1(o.f32(1), o.f32(1)));
        cases.add(Op.ADD1, o -> o.b().add1Inplace(o.f32(5, 4, 3, 2), o.f32(1)));
        cases.add(Op.ADD1, o -> o.b().add1(o.of(ElementType.Q8_0, 64, 3), o.f32(1)));
        cases.random(Op.ADD1, o -> {
            Tensor a = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.SPACED),
                    o.oneOf(F32, F16, BF16),
                    o.size(130),
                    o.size(9),
                    o.between(1, 3));
            return o.coin() ? o.b().add1(a, o.f32(1)) : o.b().add1Inplace(a, o.f32(1));
        });
    }

    private static void scale(CaseList cases) {
        for (long[] shape : SHAPES) {
            cases.add(Op.SCALE, o -> o.b().scale(o.f32(shape), 0.125f));
            cases.add(Op.SCALE, o -> o.note("with bias").b().scaleBias(o.f32(shape), -1.5f, 0.25f));
        }
        cases.add(Op.SCALE, o -> o.b().scaleInplace(o.f32(33, 3), 2f));
        cases.add(Op.SCALE, o -> o.note("with bias").b().scaleBiasInplace(o.f32(33, 3), 2f, -1f));
        cases.add(Op.SCALE, o -> o.notInGgml().b().scale(o.formed(OperandLayout.SPACED, F32, 9, 4, 2), 3f));
        cases.add(Op.SCALE, o -> o.note("of specials").b().scale(o.filled(Fill.special(), F32, 41), 2f));
        cases.random(Op.SCALE, o -> {
            Tensor a = o.f32(o.size(130), o.size(9), o.between(1, 4));
            float bias = o.coin() ? 0 : 0.5f;
            float scale = o.between(-20, 20) / 8f + 0.01f;
            return o.coin() ? o.b().scaleBias(a, scale, bias) : o.b().scaleBiasInplace(a, scale, bias);
        });
    }

    private static void unary(CaseList cases, Op op, Fill fill, Unary function, Unary inPlace) {
        for (long[] shape : SHAPES) {
            cases.add(op, o -> function.of(o.b(), o.filled(fill, F32, shape)));
        }
        cases.add(op, o -> function.of(o.b(), o.filled(fill, F16, 33, 3)));
        cases.add(op, o -> function.of(o.b(), o.filled(fill, BF16, 33, 3)));
        for (OperandLayout form :
                new OperandLayout[] {OperandLayout.CUT, OperandLayout.SPACED, OperandLayout.PERMUTED}) {
            cases.add(op, o -> function.of(o.b(), o.formed(form, fill, F32, 10, 4, 3, 2)));
        }
        cases.add(op, o -> function.of(o.notInGgml().b(), o.formed(OperandLayout.TRANSPOSED, fill, F32, 6, 5)));
        cases.add(op, o -> function.of(o.note("of specials").b(), o.filled(Fill.special(), F32, 41)));
        cases.add(op, o -> inPlace.of(o.b(), o.filled(fill, F32, 33, 3)));
        cases.add(op, o -> inPlace.of(o.b(), o.formed(OperandLayout.CUT, fill, F32, 9, 4, 2)));
        cases.random(op, o -> {
            Tensor a = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                    fill,
                    o.oneOf(F32, F32, F16, BF16),
                    o.size(130),
                    o.size(9),
                    o.between(1, 4),
                    o.between(1, 2));
            return o.coin() ? function.of(o.b(), a) : inPlace.of(o.b(), a);
        });
    }

    private static void clamp(CaseList cases) {
        for (long[] shape : SHAPES) {
            cases.add(Op.CLAMP, o -> o.b().clamp(o.f32(shape), -0.5f, 0.75f));
        }
        cases.add(Op.CLAMP, o -> o.b().clamp(o.of(F16, 33, 3), -0.5f, 0.75f));
        cases.add(Op.CLAMP, o -> o.b().clamp(o.formed(OperandLayout.SPACED, F32, 9, 4, 2), -0.5f, 0.75f));
        cases.add(Op.CLAMP, o -> o.notInGgml().b().clamp(o.formed(OperandLayout.CUT, F32, 9, 4, 2), -0.5f, 0.75f));
        cases.add(Op.CLAMP, o -> o.note("to one number").b().clamp(o.f32(9), 0.5f, 0.5f));
        cases.random(Op.CLAMP, o -> {
            float low = -o.between(0, 16) / 8f;
            return o.b().clamp(
                            o.of(o.oneOf(F32, F16), o.size(130), o.size(9), o.between(1, 4)),
                            low,
                            low + o.between(0, 16) / 8f);
        });
    }

    private static void leakyRelu(CaseList cases) {
        for (long[] shape : SHAPES) {
            cases.add(Op.LEAKY_RELU, o -> o.b().leakyRelu(o.f32(shape), 0.1f));
        }
        cases.add(Op.LEAKY_RELU, o -> o.b().leakyRelu(o.of(F16, 33, 3), 0.1f));
        cases.add(Op.LEAKY_RELU, o -> o.notInGgml().b().leakyRelu(o.formed(OperandLayout.CUT, F32, 9, 4, 2), 0.1f));
        cases.add(Op.LEAKY_RELU, o -> o.b().leakyReluInplace(o.f32(33, 3), 0.2f));
        cases.random(Op.LEAKY_RELU, o -> {
            Tensor a = o.of(o.oneOf(F32, F16), o.size(130), o.size(9), o.between(1, 4));
            float slope = o.between(0, 8) / 10f;
            return o.coin() ? o.b().leakyRelu(a, slope) : o.b().leakyReluInplace(a, slope);
        });
    }
}
