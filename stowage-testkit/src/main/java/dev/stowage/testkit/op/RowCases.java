package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.I64;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;

/** Rows picked and placed by number in every type they can have, and the order of the elements of a row. */
final class RowCases {

    private static final List<ElementType> READABLE = Stream.concat(
                    TypeGroups.FLOATS.stream(), TypeGroups.WEIGHTS.stream())
            .toList();

    private static final List<ElementType> WRITABLE = Stream.concat(
                    TypeGroups.FLOATS.stream(), TypeGroups.WRITABLE.stream())
            .toList();

    private RowCases() {}

    static void addTo(CaseList cases) {
        getRows(cases);
        setRows(cases);
        argsort(cases);
        topK(cases);
    }

    private static void getRows(CaseList cases) {
        for (ElementType type : READABLE) {
            cases.add(Op.GET_ROWS, o -> reading(o).b().getRows(o.of(type, 256, 7), rows(o, 7, 4)));
            cases.add(
                    Op.GET_ROWS,
                    o -> reading(o).b().getRows(o.formed(OperandLayout.CUT, type, 256, 5, 2), rows(o, 5, 3, 2)));
        }
        for (ElementType type : TypeGroups.FLOATS) {
            cases.add(Op.GET_ROWS, o -> reading(o).b().getRows(o.of(type, 33, 9, 3, 2), rows(o, 9, 5, 3, 2)));
        }
        cases.add(Op.GET_ROWS, o -> o.exact().b().getRows(o.filled(Fill.numbers(1000), I32, 5, 9), rows(o, 9, 4)));
        cases.add(Op.GET_ROWS, o -> o.exact().b().getRows(o.f32(1, 1), rows(o, 1, 1)));
        cases.add(Op.GET_ROWS, o -> o.exact().note("one row often").b().getRows(o.f32(7, 3), rows(o, 1, 9)));
        cases.add(Op.GET_ROWS, o -> o.exact().b().getRows(o.f32(7, 3), rows(o, 3, 0)));
        cases.add(
                Op.GET_ROWS,
                o -> o.exact().b().getRows(o.f32(7, 9, 4), o.formed(OperandLayout.CUT, Fill.numbers(9), I32, 3, 4)));
        cases.random(Op.GET_ROWS, o -> {
            ElementType type = o.oneOf(READABLE.toArray(ElementType[]::new));
            int count = o.size(20);
            int p = o.between(1, 3);
            int q = o.between(1, 2);
            long length = type.isQuantized() ? (long) type.blockSize() * o.between(1, 3) : o.size(130);
            return reading(o)
                    .b()
                    .getRows(
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), type, length, count, p, q),
                            rows(o, count, o.size(9), p, q));
        });
    }

    /** Reading a row is exact in every type: what a block stands for is defined to the last bit. */
    private static Operands reading(Operands o) {
        return o.within(Tolerances.F32);
    }

    private static Tensor rows(Operands o, int bound, long... dimensions) {
        return o.filled(Fill.numbers(bound), I32, dimensions);
    }

    private static void setRows(CaseList cases) {
        for (ElementType type : WRITABLE) {
            for (ElementType index : new ElementType[] {I64, I32}) {
                cases.add(Op.SET_ROWS, o -> o.b().setRows(o.of(type, 256, 7), o.f32(256, 4), places(o, index, 7, 4)));
            }
            cases.add(
                    Op.SET_ROWS,
                    o -> o.b().setRows(
                                    o.of(type, 256, 7, 2, 2),
                                    o.formed(OperandLayout.CUT, F32, 256, 4, 2, 2),
                                    places(o, I64, 7, 4, 1, 2)));
        }
        cases.add(Op.SET_ROWS, o -> o.b().setRows(o.of(F16, 33, 7), o.of(F16, 33, 4), places(o, I64, 7, 4)));
        cases.add(Op.SET_ROWS, o -> o.b().setRows(o.f32(33, 7), o.of(F16, 33, 4), places(o, I32, 7, 4)));
        cases.add(
                Op.SET_ROWS, o -> o.b().setRows(o.of(ElementType.Q8_0, 64, 7), o.of(F16, 64, 4), places(o, I32, 7, 4)));
        cases.add(Op.SET_ROWS, o -> o.exact().b().setRows(o.f32(1, 1), o.f32(1, 1), places(o, I64, 1, 1)));
        cases.add(Op.SET_ROWS, o -> o.exact().b().setRows(o.f32(9, 5), o.f32(9, 0), places(o, I64, 5, 0)));
        cases.add(
                Op.SET_ROWS,
                o -> o.exact()
                        .b()
                        .setRows(o.formed(OperandLayout.CUT, F32, 9, 5, 3), o.f32(9, 4, 3), places(o, I64, 5, 4, 3)));
        cases.random(Op.SET_ROWS, o -> {
            ElementType type = o.oneOf(WRITABLE.toArray(ElementType[]::new));
            int count = o.size(20);
            int p = o.between(1, 3);
            int q = o.between(1, 2);
            int written = o.between(1, count);
            long length = type.isQuantized() ? (long) type.blockSize() * o.between(1, 2) : o.size(130);
            return o.b().setRows(
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), type, length, count, p, q),
                            o.formed(
                                    o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT),
                                    o.oneOf(F32, F32, F16),
                                    length,
                                    written,
                                    p,
                                    q),
                            places(o, o.oneOf(I64, I32), count, written, o.coin() ? p : 1, o.coin() ? q : 1));
        });
    }

    private static Tensor places(Operands o, ElementType type, int bound, long... dimensions) {
        return o.filled(Fill.distinct(bound), type, dimensions);
    }

    private static void argsort(CaseList cases) {
        for (SortOrder order : SortOrder.values()) {
            long[][] shapes = {{1}, {2, 3}, {33, 3}, {7, 4, 3, 2}, {1025, 2}};
            for (long[] shape : shapes) {
                cases.add(
                        Op.ARGSORT,
                        o -> o.exact().note(order.name()).b().argsort(ranked(o, OperandLayout.PLAIN, shape), order));
            }
            cases.add(
                    Op.ARGSORT,
                    o -> o.exact().note(order.name()).b().argsort(ranked(o, OperandLayout.SPACED, 9, 4), order));
        }
        cases.add(Op.ARGSORT, o -> o.exact().note("top 4").b().argsortTopK(ranked(o, OperandLayout.PLAIN, 16, 5), 4));
        cases.random(Op.ARGSORT, o -> {
            SortOrder order = o.oneOf(SortOrder.values());
            return o.exact()
                    .note(order.name())
                    .b()
                    .argsort(ranked(o, OperandLayout.PLAIN, o.size(300), o.size(9), o.between(1, 3)), order);
        });
    }

    private static void topK(CaseList cases) {
        long[][] shapes = {{1, 1, 1}, {16, 5, 1}, {33, 3, 2}, {1025, 2, 1}, {20000, 2, 1}, {9000, 1, 2}};
        int[] counts = {1, 4, 33, 8, 40, 4000};
        for (int i = 0; i < shapes.length; i++) {
            int k = counts[i];
            long[] shape = shapes[i];
            cases.add(
                    Op.TOP_K,
                    o -> o.exact().inAnyOrder().note(k + " of").b().topK(ranked(o, OperandLayout.PLAIN, shape), k));
        }
        cases.add(
                Op.TOP_K, o -> o.exact().inAnyOrder().note("3 of").b().topK(ranked(o, OperandLayout.SPACED, 9, 4), 3));
        cases.random(Op.TOP_K, o -> {
            int n = o.size(300);
            int k = o.between(1, n);
            return o.exact()
                    .inAnyOrder()
                    .note(k + " of")
                    .b()
                    .topK(ranked(o, OperandLayout.PLAIN, n, o.size(9), o.between(1, 3)), k);
        });
    }

    private static Tensor ranked(Operands o, OperandLayout form, long... shape) {
        return o.formed(form, Fill.ranked(), F32, shape);
    }
}
