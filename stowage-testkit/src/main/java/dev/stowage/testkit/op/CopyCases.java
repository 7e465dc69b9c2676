package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I16;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.I8;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** Copies, casts, repetitions and writes into a part, from and to every type and stride. */
final class CopyCases {

    private CopyCases() {}

    static void addTo(CaseList cases) {
        dup(cases);
        cont(cases);
        cpy(cases);
        concat(cases);
        repeat(cases);
        region(cases, Op.SET);
        region(cases, Op.ACC);
    }

    private static void dup(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16, BF16, I32, ElementType.Q4_0, ElementType.Q6_K}) {
            long length = type.isQuantized() ? type.blockSize() : 33;
            cases.add(Op.DUP, o -> o.exact().b().dup(o.filled(Fill.gaussian(100), type, length, 3)));
            cases.add(
                    Op.DUP,
                    o -> o.exact().b().dup(o.formed(OperandLayout.PERMUTED, Fill.gaussian(100), type, length, 4, 3)));
        }
        cases.add(Op.DUP, o -> o.exact().b().dup(o.formed(OperandLayout.TRANSPOSED, F32, 6, 5, 2)));
        cases.add(Op.DUP, o -> o.exact().b().dup(o.f32(0)));
        cases.add(Op.DUP, o -> o.exact().b().dupInplace(o.f32(9, 4)));
        cases.random(
                Op.DUP,
                o -> o.exact()
                        .b()
                        .dup(o.formed(
                                o.oneOf(OperandLayout.values()),
                                o.oneOf(F32, F16, BF16),
                                o.size(70),
                                o.size(9),
                                o.between(1, 4))));
    }

    private static void cont(CaseList cases) {
        for (OperandLayout form : OperandLayout.values()) {
            for (ElementType type : new ElementType[] {F32, F16, BF16, I32}) {
                cases.add(Op.CONT, o -> o.exact().b().cont(o.formed(form, Fill.gaussian(100), type, 10, 4, 3, 2)));
            }
        }
        for (ElementType type : TypeGroups.WEIGHTS) {
            cases.add(
                    Op.CONT,
                    o -> o.exact().b().cont(o.formed(OperandLayout.PERMUTED, type, type.blockSize() * 2L, 3, 2)));
        }
        cases.add(
                Op.CONT,
                o -> o.exact().note("as [8, 15]").b().cont(o.formed(OperandLayout.TRANSPOSED, F32, 6, 5, 4), 8, 15));
        cases.add(Op.CONT, o -> o.exact().note("of specials").b().cont(o.filled(Fill.special(), F32, 41)));
        cases.add(Op.CONT, o -> o.exact().b().cont(o.f32(3, 0)));
        cases.random(
                Op.CONT,
                o -> o.exact()
                        .b()
                        .cont(o.formed(
                                o.oneOf(OperandLayout.values()),
                                Fill.gaussian(100),
                                o.oneOf(F32, F16, BF16, I32),
                                o.size(70),
                                o.size(9),
                                o.between(1, 4),
                                o.between(1, 3))));
    }

    private static void cpy(CaseList cases) {
        for (ElementType from : TypeGroups.FLOATS) {
            for (ElementType to : TypeGroups.FLOATS) {
                cases.add(Op.CPY, o -> o.exact().note("to " + to).b().cast(o.of(from, 33, 3), to));
                cases.add(
                        Op.CPY,
                        o -> o.exact()
                                .note("to " + to)
                                .b()
                                .cast(o.formed(OperandLayout.TRANSPOSED, from, 6, 5, 2), to));
                cases.add(
                        Op.CPY,
                        o -> o.exact().b().cpy(o.of(from, 10, 4, 3), o.formed(OperandLayout.CUT, to, 10, 4, 3)));
            }
            for (ElementType to : TypeGroups.WRITABLE) {
                cases.add(Op.CPY, o -> o.note("to " + to).b().cast(o.of(from, 256, 3), to));
            }
        }
        for (ElementType type : TypeGroups.WEIGHTS) {
            cases.add(Op.CPY, o -> o.within(Tolerances.F32).note("to f32").b().cast(o.of(type, 256, 3, 2), F32));
            cases.add(Op.CPY, o -> o.exact().b().cpy(o.of(type, 256, 3), o.of(type, 256, 3)));
            cases.add(
                    Op.CPY,
                    o -> o.exact().b().cpy(o.formed(OperandLayout.PERMUTED, type, 256, 3, 2), o.of(type, 256, 3, 2)));
        }
        cases.add(Op.CPY, o -> o.b().cpy(o.formed(OperandLayout.CUT, F32, 64, 5, 2), o.of(ElementType.Q8_0, 64, 5, 2)));
        cases.add(Op.CPY, o -> o.exact().note("to i32").b().cast(o.filled(Fill.gaussian(100), F32, 33, 3), I32));
        cases.add(Op.CPY, o -> o.exact().note("to f32").b().cast(o.filled(Fill.gaussian(1000), I32, 33, 3), F32));
        cases.add(Op.CPY, o -> o.exact().b().cpy(o.f32(12, 5), o.f32(20, 3)));
        cases.add(
                Op.CPY,
                o -> o.exact()
                        .b()
                        .cpy(
                                o.formed(OperandLayout.PERMUTED, F32, 6, 4, 5),
                                o.formed(OperandLayout.TRANSPOSED, F32, 10, 12)));
        cases.add(Op.CPY, o -> o.exact().b().cpy(o.f32(1), o.f32(1)));
        cases.add(Op.CPY, o -> o.exact().b().cpy(o.f32(0, 3), o.f32(3, 0)));
        cases.random(Op.CPY, CopyCases::randomCopy);
    }

    private static Tensor randomCopy(Operands o) {
        if (o.between(0, 3) == 0) {
            ElementType to = o.oneOf(TypeGroups.WRITABLE.toArray(ElementType[]::new));
            long length = (long) to.blockSize() * o.between(1, 3);
            return o.note("to " + to)
                    .b()
                    .cast(
                            o.formed(
                                    o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT),
                                    o.oneOf(F32, F16),
                                    length,
                                    o.size(9)),
                            to);
        }
        ElementType from = o.oneOf(F32, F16, BF16);
        ElementType to = o.oneOf(F32, F16, BF16);
        long[] shape = {o.size(70), o.size(9), o.between(1, 4)};
        Tensor a = o.formed(o.oneOf(OperandLayout.values()), from, shape);
        return o.exact().b().cpy(a, o.formed(o.oneOf(OperandLayout.values()), to, shape));
    }

    private static void concat(CaseList cases) {
        for (int dimension = 0; dimension < 4; dimension++) {
            int along = dimension;
            for (ElementType type : new ElementType[] {F32, F16, I32}) {
                cases.add(Op.CONCAT, o -> joined(o, along, OperandLayout.PLAIN, type));
            }
            cases.add(Op.CONCAT, o -> joined(o, along, OperandLayout.CUT, F32));
            cases.add(Op.CONCAT, o -> joined(o, along, OperandLayout.TRANSPOSED, F32));
        }
        for (ElementType type : new ElementType[] {BF16, I8, I16}) {
            cases.add(Op.CONCAT, o -> joined(o, 1, OperandLayout.PLAIN, type));
        }
        for (ElementType type : new ElementType[] {ElementType.Q4_0, ElementType.Q8_0, ElementType.Q4_K}) {
            cases.add(Op.CONCAT, o -> {
                int block = type.blockSize();
                return o.exact().note("along 0").b().concat(o.of(type, block, 3), o.of(type, 2L * block, 3), 0);
            });
        }
        cases.add(Op.CONCAT, o -> o.exact().note("along 0").b().concat(o.f32(0, 3), o.f32(5, 3), 0));
        cases.random(Op.CONCAT, o -> {
            int along = o.between(0, 3);
            long[] first = {o.size(40), o.size(9), o.between(1, 4), o.between(1, 3)};
            long[] second = first.clone();
            second[along] = o.size(9);
            ElementType type = o.oneOf(F32, F16, I32);
            return o.exact()
                    .note("along " + along)
                    .b()
                    .concat(
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), type, first),
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.PERMUTED), type, second),
                            along);
        });
    }

    private static Tensor joined(Operands o, int along, OperandLayout form, ElementType type) {
        long[] second = {5, 4, 3, 2};
        second[along] = 7;
        Fill fill = Fill.gaussian(30);
        return o.exact()
                .note("along " + along)
                .b()
                .concat(o.formed(form, fill, type, 5, 4, 3, 2), o.formed(form, fill, type, second), along);
    }

    private static void repeat(CaseList cases) {
        long[][] shapes = {{10, 5, 4, 3}, {20, 5, 4, 3}, {10, 10, 4, 3}, {10, 5, 8, 3}, {10, 5, 4, 6}, {20, 15, 8, 6}};
        for (long[] shape : shapes) {
            cases.add(Op.REPEAT, o -> times(o, shape).b().repeat(o.f32(10, 5, 4, 3), shape));
        }
        for (ElementType type : new ElementType[] {F16, BF16, I32, I16}) {
            cases.add(Op.REPEAT, o -> times(o, 21, 6).b().repeat(o.filled(Fill.gaussian(30), type, 7, 3), 21, 6));
        }
        cases.add(Op.REPEAT, o -> times(o, 1025).b().repeat(o.f32(1), 1025));
        cases.add(Op.REPEAT, o -> times(o, 9, 8, 4).b().repeat(o.formed(OperandLayout.CUT, F32, 9, 4, 2), 9, 8, 4));
        cases.add(
                Op.REPEAT, o -> times(o, 9, 8, 4).b().repeat(o.formed(OperandLayout.PERMUTED, F32, 9, 4, 2), 9, 8, 4));
        cases.random(Op.REPEAT, o -> {
            long[] shape = {o.size(40), o.size(9), o.between(1, 4), o.between(1, 2)};
            long[] larger = shape.clone();
            for (int i = 0; i < larger.length; i++) {
                larger[i] *= o.between(1, 3);
            }
            return times(o, larger)
                    .b()
                    .repeat(
                            o.formed(
                                    o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                                    o.oneOf(F32, F16, I32),
                                    shape),
                            larger);
        });
    }

    private static Operands times(Operands o, long... shape) {
        return o.exact().note("into " + Shape.of(shape));
    }

    private static void region(CaseList cases, Op op) {
        cases.add(op, o -> region(o, op, false, o.f32(16, 5, 4, 3), o.f32(9, 3, 2, 2), 20));
        cases.add(op, o -> region(o, op, true, o.f32(16, 5, 4, 3), o.f32(9, 3, 2, 2), 20));
        cases.add(op, o -> region(o, op, false, o.f32(16, 5), o.f32(16, 5), 0));
        cases.add(op, o -> region(o, op, false, o.f32(16, 5), o.formed(OperandLayout.CUT, F32, 7, 2), 64 + 8));
        cases.add(op, o -> region(o, op, true, o.f32(16, 5), o.formed(OperandLayout.CUT, F32, 7, 2), 64 + 8));
        cases.add(op, o -> region(o, op, false, o.f32(9), o.f32(1), 32));
        cases.add(op, o -> region(o, op, true, o.f32(9), o.f32(4), 0));
        if (op == Op.SET) {
            cases.add(op, o -> region(o, op, false, whole(o, 16, 5), whole(o, 9, 3), 68));
            cases.add(op, o -> region(o, op, true, whole(o, 16, 5), whole(o, 9, 3), 68));
        }
        cases.random(op, o -> {
            int[] inner = {o.size(20), o.size(6), o.between(1, 3), o.between(1, 2)};
            int[] shift = {o.between(0, 5), o.between(0, 3), o.between(0, 2)};
            Tensor a = o.f32(
                    inner[0] + shift[0] + (long) o.between(0, 3),
                    inner[1] + (long) shift[1],
                    inner[2] + (long) shift[2],
                    inner[3]);
            Tensor b = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), F32, inner[0], inner[1], inner[2], inner[3]);
            long offset = shift[0] * a.stride(0) + shift[1] * a.stride(1) + shift[2] * a.stride(2);
            return region(o, op, o.coin(), a, b, offset);
        });
    }

    private static Tensor whole(Operands o, long... shape) {
        return o.filled(Fill.gaussian(100), I32, shape);
    }

    private static Tensor region(Operands o, Op op, boolean inPlace, Tensor a, Tensor b, long offset) {
        o.note("at " + offset);
        long s1 = a.stride(1);
        long s2 = a.stride(2);
        long s3 = a.stride(3);
        if (op == Op.ACC) {
            return inPlace ? o.b().accInplace(a, b, s1, s2, s3, offset) : o.b().acc(a, b, s1, s2, s3, offset);
        }
        o.exact();
        return inPlace ? o.b().setInplace(a, b, s1, s2, s3, offset) : o.b().set(a, b, s1, s2, s3, offset);
    }
}
