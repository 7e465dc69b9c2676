package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;
import java.util.List;
import java.util.stream.Stream;

/** Products of matrices in every type weights have, with matrices that repeat, and what is done to triangles. */
final class MatrixCases {

    private static final List<ElementType> FACTORS = Stream.concat(
                    TypeGroups.FLOATS.stream(), TypeGroups.WEIGHTS.stream())
            .toList();

    private MatrixCases() {}

    static void addTo(CaseList cases) {
        mulMat(cases);
        mulMatId(cases);
        outProd(cases);
        solveTri(cases);
        diag(cases);
        diagMask(cases, Op.DIAG_MASK_INF);
        diagMask(cases, Op.DIAG_MASK_ZERO);
        tri(cases);
    }

    private static void mulMat(CaseList cases) {
        for (ElementType type : FACTORS) {
            cases.add(Op.MUL_MAT, o -> product(o, o.of(type, 256, 16), o.f32(256, 1)));
            cases.add(Op.MUL_MAT, o -> product(o, o.of(type, 256, 7), o.f32(256, 9)));
            cases.add(Op.MUL_MAT, o -> product(o, o.of(type, 512, 5, 2, 1), o.f32(512, 3, 4, 3)));
            cases.add(
                    Op.MUL_MAT,
                    o -> product(
                            o,
                            o.formed(OperandLayout.CUT, type, 256, 5, 2),
                            o.formed(OperandLayout.CUT, F32, 256, 3, 2)));
        }
        for (ElementType type : TypeGroups.FLOATS) {
            cases.add(Op.MUL_MAT, o -> product(o, o.of(type, 33, 17, 3, 2), o.f32(33, 5, 3, 2)));
            cases.add(Op.MUL_MAT, o -> product(o, o.of(type, 1, 4), o.f32(1, 3)));
            cases.add(Op.MUL_MAT, o -> product(o, o.of(type, 7, 1), o.f32(7, 1)));
            cases.add(
                    Op.MUL_MAT,
                    o -> product(
                            o,
                            o.formed(OperandLayout.PERMUTED, type, 16, 6, 4),
                            o.formed(OperandLayout.PERMUTED, F32, 16, 5, 8)));
        }
        cases.add(Op.MUL_MAT, o -> product(o, o.of(F16, 33, 7, 2), o.of(F16, 33, 5, 4)));
        cases.add(Op.MUL_MAT, o -> product(o, o.of(BF16, 33, 7, 2), o.of(BF16, 33, 5, 4)));
        cases.add(Op.MUL_MAT, o -> product(o, o.f32(1030, 3), o.f32(1030, 2)));
        cases.add(Op.MUL_MAT, o -> product(o, o.f32(8, 3), o.f32(8, 0)));
        cases.add(
                Op.MUL_MAT,
                o -> product(o.notInGgml(), o.f32(9, 4, 2), o.formed(OperandLayout.TRANSPOSED, F32, 9, 5, 2)));
        cases.add(
                Op.MUL_MAT,
                o -> o.note("precise").within(1e-5).b().mulMat(o.of(F16, 64, 7), o.f32(64, 5), Precision.F32));
        cases.add(
                Op.MUL_MAT,
                o -> o.note("Hadamard")
                        .b()
                        .mulMat(
                                o.filled(Fill.hadamard(), F32, 64, 64),
                                o.f32(64, 5),
                                Precision.DEFAULT,
                                MulMatHint.FIRST_IS_HADAMARD));
        cases.random(Op.MUL_MAT, o -> {
            ElementType type = o.oneOf(FACTORS.toArray(ElementType[]::new));
            long k = type.isQuantized() ? (long) type.blockSize() * o.between(1, 3) : o.size(130);
            long p = o.between(1, 3);
            long q = o.between(1, 2);
            return product(
                    o,
                    o.formed(
                            o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                            type,
                            k,
                            o.size(20),
                            p,
                            q),
                    o.formed(
                            o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT),
                            F32,
                            k,
                            o.size(20),
                            p * o.between(1, 2),
                            q * o.between(1, 2)));
        });
    }

    private static Tensor product(Operands o, Tensor a, Tensor b) {
        return close(o, a).b().mulMat(a, b);
    }

    private static Operands close(Operands o, Tensor a) {
        return a.type() == F16 || a.type() == BF16 ? o.within(Tolerances.HALF_PRODUCT) : o;
    }

    private static void mulMatId(CaseList cases) {
        for (ElementType type : FACTORS) {
            cases.add(Op.MUL_MAT_ID, o -> chosen(o, o.of(type, 256, 5, 4), o.f32(256, 2, 6), 2));
            cases.add(Op.MUL_MAT_ID, o -> chosen(o, o.of(type, 256, 5, 4), o.f32(256, 1, 1), 3));
        }
        cases.add(Op.MUL_MAT_ID, o -> chosen(o, o.f32(33, 7, 8), o.f32(33, 1, 17), 4));
        cases.add(Op.MUL_MAT_ID, o -> chosen(o, o.f32(33, 1, 1), o.f32(33, 1, 1), 1));
        cases.add(
                Op.MUL_MAT_ID,
                o -> chosen(
                        o, o.formed(OperandLayout.CUT, F32, 16, 7, 8), o.formed(OperandLayout.CUT, F32, 16, 2, 5), 4));
        cases.add(Op.MUL_MAT_ID, o -> {
            Tensor all = o.filled(Fill.distinct(8), I32, 8, 5);
            return o.b().mulMatId(o.f32(16, 7, 8), o.f32(16, 1, 5), o.b().view2d(all, 3, 5, all.stride(1), 4));
        });
        cases.random(Op.MUL_MAT_ID, o -> {
            ElementType type = o.oneOf(FACTORS.toArray(ElementType[]::new));
            long k = type.isQuantized() ? (long) type.blockSize() * o.between(1, 2) : o.size(70);
            int experts = o.between(1, 8);
            int used = o.between(1, experts);
            return chosen(o, o.of(type, k, o.size(20), experts), o.f32(k, o.coin() ? used : 1, o.size(12)), used);
        });
    }

    private static Tensor chosen(Operands o, Tensor experts, Tensor b, int used) {
        Tensor ids = o.filled(Fill.distinct((int) experts.dim(2)), I32, used, b.dim(2));
        return close(o, experts).b().mulMatId(experts, b, ids);
    }

    private static void outProd(CaseList cases) {
        for (ElementType type : FACTORS) {
            if (type != BF16) {
                cases.add(Op.OUT_PROD, o -> o.b().outProd(o.of(type, 256, 3), o.f32(5, 3)));
            }
        }
        cases.add(Op.OUT_PROD, o -> o.b().outProd(o.f32(17, 9, 2, 1), o.f32(5, 9, 4, 3)));
        cases.add(Op.OUT_PROD, o -> o.b().outProd(o.f32(1, 1), o.f32(1, 1)));
        cases.add(
                Op.OUT_PROD,
                o -> o.b().outProd(
                                o.formed(OperandLayout.CUT, F32, 7, 5, 2), o.formed(OperandLayout.CUT, F32, 4, 5, 2)));
        cases.add(Op.OUT_PROD, o -> o.b().outProd(o.f32(7, 5), o.formed(OperandLayout.TRANSPOSED, F32, 4, 5)));
        cases.random(Op.OUT_PROD, o -> {
            long k = o.size(20);
            long p = o.between(1, 3);
            return o.b().outProd(
                            o.formed(o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT), F32, o.size(70), k, p, 1),
                            o.formed(
                                    o.oneOf(OperandLayout.PLAIN, OperandLayout.TRANSPOSED),
                                    F32,
                                    o.size(20),
                                    k,
                                    p * o.between(1, 2),
                                    o.between(1, 2)));
        });
    }

    private static void solveTri(CaseList cases) {
        long[][] sizes = {{1, 1, 1, 1}, {5, 3, 1, 1}, {33, 7, 2, 1}, {64, 64, 1, 1}, {8, 1, 3, 2}};
        for (long[] size : sizes) {
            cases.add(Op.SOLVE_TRI, o -> solved(o, size[0], size[1], size[2], size[3]));
        }
        cases.random(Op.SOLVE_TRI, o -> solved(o, o.size(70), o.size(20), o.between(1, 3), o.between(1, 2)));
    }

    private static Tensor solved(Operands o, long n, long columns, long p, long q) {
        return o.b().solveTri(o.filled(Fill.triangular(), F32, n, n, p, q), o.f32(columns, n, p, q));
    }

    private static void diag(CaseList cases) {
        long[][] shapes = {{1, 1, 1, 1}, {7, 1, 1, 1}, {33, 1, 2, 3}};
        for (long[] shape : shapes) {
            cases.add(Op.DIAG, o -> o.exact().b().diag(o.f32(shape)));
        }
        cases.add(Op.DIAG, o -> o.exact().b().diag(o.formed(OperandLayout.CUT, F32, 5, 1, 2)));
        cases.random(
                Op.DIAG,
                o -> o.exact()
                        .b()
                        .diag(o.formed(
                                o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT),
                                F32,
                                o.size(40),
                                1,
                                o.between(1, 4),
                                o.between(1, 2))));
    }

    private static void diagMask(CaseList cases, Op op) {
        cases.add(op, o -> masked(o, op, o.f32(7, 5), 0, false));
        cases.add(op, o -> masked(o, op, o.f32(17, 9, 3, 2), 4, false));
        cases.add(op, o -> masked(o, op, o.f32(33, 2), 40, false));
        cases.add(op, o -> masked(o, op, o.f32(9, 9, 2), 1, true));
        cases.add(op, o -> masked(o, op, o.f32(1), 0, false));
        cases.random(
                op,
                o -> masked(
                        o,
                        op,
                        o.f32(o.size(70), o.size(20), o.between(1, 3), o.between(1, 2)),
                        o.between(0, 20),
                        o.coin()));
    }

    private static Tensor masked(Operands o, Op op, Tensor a, int past, boolean inPlace) {
        o.exact().note("past " + past);
        if (op == Op.DIAG_MASK_INF) {
            return inPlace ? o.b().diagMaskInfInplace(a, past) : o.b().diagMaskInf(a, past);
        }
        return inPlace ? o.b().diagMaskZeroInplace(a, past) : o.b().diagMaskZero(a, past);
    }

    private static void tri(CaseList cases) {
        for (TriangleKind kind : TriangleKind.values()) {
            cases.add(Op.TRI, o -> o.exact().note(kind.name()).b().tri(o.f32(7, 7, 3, 2), kind));
            cases.add(Op.TRI, o -> o.exact().note(kind.name()).b().tri(o.f32(33, 33), kind));
        }
        cases.random(Op.TRI, o -> {
            TriangleKind kind = o.oneOf(TriangleKind.values());
            int n = o.size(40);
            return o.exact().note(kind.name()).b().tri(o.f32(n, n, o.between(1, 3)), kind);
        });
    }
}
