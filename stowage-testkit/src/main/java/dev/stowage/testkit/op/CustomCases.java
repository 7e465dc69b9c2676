package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Ops of the caller's own: each part is computed once, and finds the operands it was given. */
final class CustomCases {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private CustomCases() {}

    static void addTo(CaseList cases) {
        for (int parts : new int[] {1, 3, Integer.MAX_VALUE}) {
            String note = parts == Integer.MAX_VALUE ? "in any number of parts" : "in at most " + parts;
            cases.add(Op.MAP_CUSTOM1, o -> only(o, note).b().mapCustom1(o.f32(33, 3), CustomCases::weightedSum, parts));
            cases.add(
                    Op.MAP_CUSTOM2,
                    o -> only(o, note).b().mapCustom2(o.f32(33, 3), o.f32(33, 3), CustomCases::weightedSum, parts));
            cases.add(
                    Op.MAP_CUSTOM3,
                    o -> only(o, note)
                            .b()
                            .mapCustom3(o.f32(33, 3), o.f32(33, 3), o.f32(33, 3), CustomCases::weightedSum, parts));
            cases.add(
                    Op.CUSTOM,
                    o -> only(o, note)
                            .b()
                            .custom(F32, Shape.of(33, 3), CustomCases::weightedSum, parts, o.f32(99), o.f32(33, 3)));
        }
        cases.add(Op.MAP_CUSTOM1, o -> only(o, "").b().mapCustom1Inplace(o.f32(9, 4), CustomCases::doubled, 2));
        cases.random(Op.MAP_CUSTOM1, o -> only(o, "").b().mapCustom1(random(o), CustomCases::weightedSum));
        cases.random(Op.MAP_CUSTOM2, o -> {
            Tensor a = random(o);
            return only(o, "").b().mapCustom2(a, o.f32(a.dim(0), a.dim(1)), CustomCases::weightedSum);
        });
        cases.random(Op.MAP_CUSTOM3, o -> {
            Tensor a = random(o);
            return only(o, "")
                    .b()
                    .mapCustom3(a, o.f32(a.dim(0), a.dim(1)), o.f32(a.dim(0), a.dim(1)), CustomCases::weightedSum);
        });
        cases.random(Op.CUSTOM, o -> {
            Tensor a = random(o);
            return only(o, "").b().custom(F32, a.shape(), CustomCases::weightedSum, a);
        });
    }

    private static Operands only(Operands o, String note) {
        return o.notInGgml().note(note);
    }

    private static Tensor random(Operands o) {
        return o.f32(o.size(70), o.size(9));
    }

    /** The first operand once, the second twice, the third three times, element by element. */
    private static void weightedSum(CustomOp.Part part) {
        Tensor result = part.result();
        MemorySegment target = part.bytes(result);
        long elements = result.shape().elements();
        for (long i = elements * part.index() / part.count(); i < elements * (part.index() + 1) / part.count(); i++) {
            float sum = 0;
            for (int source = 0; source < result.sourceCount(); source++) {
                sum += (source + 1) * part.bytes(result.source(source)).get(FLOAT, i * Float.BYTES);
            }
            target.set(FLOAT, i * Float.BYTES, sum);
        }
    }

    /** Twice the result itself: gives another number if a part of it is computed twice. */
    private static void doubled(CustomOp.Part part) {
        MemorySegment target = part.bytes(part.result());
        long elements = part.result().shape().elements();
        for (long i = elements * part.index() / part.count(); i < elements * (part.index() + 1) / part.count(); i++) {
            target.set(FLOAT, i * Float.BYTES, 2 * target.get(FLOAT, i * Float.BYTES));
        }
    }
}
