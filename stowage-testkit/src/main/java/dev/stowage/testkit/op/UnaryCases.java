package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.Arrays;
import java.util.List;

/** Every function of one number: both sides of 0, its flat ends, all types, strides, in place. */
final class UnaryCases {

    private static final List<UnaryFunction> FUNCTIONS = Arrays.stream(UnaryFunction.values())
            .filter(function -> function != UnaryFunction.XIELU)
            .toList();

    private UnaryCases() {}

    static void addTo(CaseList cases) {
        for (UnaryFunction function : FUNCTIONS) {
            add(cases, function);
        }
        xielu(cases);
        cases.random(Op.UNARY, o -> {
            if (o.between(0, FUNCTIONS.size()) == 0) {
                return o.note("XIELU").b().xielu(o.f32(o.size(130), o.size(9)), 4.2f, -1.1f, 0.5f, -1e-6f);
            }
            UnaryFunction function = o.oneOf(FUNCTIONS.toArray(UnaryFunction[]::new));
            OperandLayout form =
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED);
            Tensor a = o.formed(
                    takesStrides(function) ? form : OperandLayout.PLAIN,
                    Fill.gaussian(2),
                    type(o.oneOf(F32, F32, F16, BF16), function),
                    o.size(130),
                    o.size(9),
                    o.between(1, 4),
                    o.between(1, 2));
            noted(o, function);
            return o.coin() ? o.b().unary(a, function) : o.b().unaryInplace(a, function);
        });
    }

    private static void add(CaseList cases, UnaryFunction function) {
        long[][] shapes = {{1}, {33, 3}, {7, 4, 3, 2}, {257}, {0, 3}};
        for (long[] shape : shapes) {
            cases.add(Op.UNARY, o -> noted(o, function).b().unary(o.filled(Fill.gaussian(2), F32, shape), function));
        }
        cases.add(Op.UNARY, o -> noted(o, function).note("far out").b().unary(ends(o), function));
        cases.add(
                Op.UNARY,
                o -> noted(o, function).note("of specials").b().unary(o.filled(Fill.special(), F32, 41), function));
        cases.add(Op.UNARY, o -> noted(o, function).b().unary(o.filled(Fill.gaussian(2), F16, 33, 3), function));
        if (type(BF16, function) == BF16) {
            cases.add(Op.UNARY, o -> noted(o, function).b().unary(o.filled(Fill.gaussian(2), BF16, 33, 3), function));
        }
        cases.add(Op.UNARY, o -> noted(o, function).b().unary(o.formed(OperandLayout.SPACED, F32, 10, 4, 3), function));
        for (OperandLayout form : new OperandLayout[] {OperandLayout.CUT, OperandLayout.PERMUTED}) {
            cases.add(
                    Op.UNARY,
                    o -> strided(noted(o, function), function).b().unary(o.formed(form, F32, 10, 4, 3, 2), function));
        }
        cases.add(Op.UNARY, o -> noted(o, function).b().unaryInplace(o.f32(33, 3), function));
        cases.add(
                Op.UNARY,
                o -> strided(noted(o, function), function)
                        .b()
                        .unaryInplace(o.formed(OperandLayout.CUT, F32, 9, 4, 2), function));
    }

    private static void xielu(CaseList cases) {
        cases.add(
                Op.UNARY,
                o -> o.note("XIELU").b().xielu(o.filled(Fill.gaussian(2), F32, 33, 3), 4.2f, -1.1f, 0.5f, -1e-6f));
        cases.add(
                Op.UNARY,
                o -> o.note("XIELU").b().xielu(o.filled(Fill.gaussian(2), F32, 7, 4, 3, 2), 0.8f, 0.8f, 0.5f, -1e-6f));
        cases.add(
                Op.UNARY,
                o -> o.note("XIELU").b().xielu(o.filled(Fill.gaussian(2), F16, 33, 3), 4.2f, -1.1f, 0.5f, -1e-6f));
        cases.add(
                Op.UNARY,
                o -> o.note("XIELU")
                        .b()
                        .xielu(o.formed(OperandLayout.SPACED, F32, 10, 4, 3), 4.2f, -1.1f, 0.5f, -1e-6f));
    }

    /** Where functions go flat, or would overflow if they were computed carelessly. */
    private static Tensor ends(Operands o) {
        return o.filled(
                Fill.cycle(-200, -88, -50, -20.5, -10, -3, -0.5, 0, 0.5, 1.5, 2.5, 3, 10, 20.5, 50, 80), F32, 48);
    }

    private static Operands noted(Operands o, UnaryFunction function) {
        o.note(function.name());
        return switch (function) {
            case GELU, GELU_QUICK -> o.within(Tolerances.TABLE);
            default -> o;
        };
    }

    /** ggml has the activations of language models in code of their own, for fewer types and strides. */
    private static boolean takesStrides(UnaryFunction function) {
        return switch (function) {
            case GELU, GELU_QUICK, GELU_ERF, SILU -> false;
            default -> true;
        };
    }

    private static Operands strided(Operands o, UnaryFunction function) {
        return takesStrides(function) ? o : o.notInGgml();
    }

    private static ElementType type(ElementType wanted, UnaryFunction function) {
        return wanted == BF16 && !takesStrides(function) ? F16 : wanted;
    }
}
