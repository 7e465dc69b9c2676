package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/** Gated units with gate and up in one operand, swapped, and in two. */
final class GluCases {

    private static final GluFunction[] FUNCTIONS = Arrays.stream(GluFunction.values())
            .filter(function -> function != GluFunction.SWIGLU_OAI)
            .toArray(GluFunction[]::new);

    private GluCases() {}

    static void addTo(CaseList cases) {
        for (GluFunction function : FUNCTIONS) {
            for (ElementType type : new ElementType[] {F32, F16}) {
                cases.add(Op.GLU, o -> noted(o, function).b().glu(o.of(type, 34, 3), function));
                cases.add(Op.GLU, o -> noted(o, function).note("swapped").b().gluSwapped(o.of(type, 34, 3), function));
                cases.add(Op.GLU, o -> noted(o, function).b().gluSplit(o.of(type, 17, 3), o.of(type, 17, 3), function));
            }
            cases.add(Op.GLU, o -> noted(o, function).b().glu(o.f32(2), function));
            cases.add(Op.GLU, o -> noted(o, function).b().glu(o.f32(0, 3), function));
            cases.add(Op.GLU, o -> noted(o, function).b().glu(o.f32(10, 4, 3, 2), function));
            cases.add(Op.GLU, o -> noted(o, function).b().glu(o.formed(OperandLayout.SPACED, F32, 10, 4, 3), function));
            cases.add(
                    Op.GLU,
                    o -> noted(o, function)
                            .b()
                            .gluSplit(o.formed(OperandLayout.SPACED, F32, 9, 4), o.f32(9, 4), function));
        }
        cases.add(Op.GLU, o -> o.note("SWIGLU_OAI").b().swigluOai(wide(o, 33, 3), wide(o, 33, 3), 1.702f, 7f));
        cases.add(Op.GLU, o -> o.note("SWIGLU_OAI narrow").b().swigluOai(wide(o, 8, 2, 2), wide(o, 8, 2, 2), 1.2f, 1f));
        cases.random(Op.GLU, o -> {
            long[] shape = {o.size(70), o.size(9), o.between(1, 3)};
            ElementType type = o.oneOf(F32, F32, F16);
            if (o.between(0, 5) == 0) {
                return o.note("SWIGLU_OAI").b().swigluOai(wide(o, shape), wide(o, shape), 1.702f, 3f);
            }
            GluFunction function = o.oneOf(FUNCTIONS);
            noted(o, function);
            if (o.coin()) {
                return o.b().gluSplit(o.of(type, shape), o.of(type, shape), function);
            }
            Tensor both = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.SPACED), type, 2 * shape[0], shape[1], shape[2]);
            return o.coin() ? o.b().glu(both, function) : o.note("swapped").b().gluSwapped(both, function);
        });
    }

    private static Tensor wide(Operands o, long... shape) {
        return o.filled(Fill.gaussian(4), F32, shape);
    }

    private static Operands noted(Operands o, GluFunction function) {
        o.note(function.name());
        return switch (function) {
            case GEGLU, GEGLU_QUICK -> o.within(Tolerances.TABLE);
            default -> o;
        };
    }
}
