package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.GgmlOpParameters;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.bench.ggml.op.OpPairs.Pair;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.TriangleKind;

/** Ops on rows and matrices: norms, reductions, rows by number, products, triangles. */
final class RowOpChecks {

    private RowOpChecks() {}

    static void run(OpPairs t) {
        norms(t);
        reductions(t);
        rows(t);
        products(t);
        triangles(t);
    }

    private static void norms(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        t.same(b.norm(a.ours(), 0.125f), "ggml_norm", a, 0.125f);
        t.same(b.rmsNorm(a.ours(), 0.125f), "ggml_rms_norm", a, 0.125f);
        t.same(b.rmsNormInplace(a.ours(), 0.125f), "ggml_rms_norm_inplace", a, 0.125f);
        t.same(b.l2Norm(a.ours(), 0.125f), "ggml_l2_norm", a, 0.125f);
        t.same(b.groupNorm(a.ours(), 2, 0.125f), "ggml_group_norm", a, 2, 0.125f);
    }

    private static void reductions(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        Pair matrix = t.f32(6, 4);
        Pair first = t.i32(6, 4);
        Pair second = t.i32(6, 4);
        t.same(b.sum(a.ours()), "ggml_sum", a);
        t.same(b.sumRows(a.ours()), "ggml_sum_rows", a);
        t.same(b.cumsum(a.ours()), "ggml_cumsum", a);
        t.same(b.mean(a.ours()), "ggml_mean", a);
        t.same(b.argmax(matrix.ours()), "ggml_argmax", matrix);
        t.same(b.countEqual(first.ours(), second.ours()), "ggml_count_equal", first, second);
    }

    private static void rows(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.leaf(ElementType.Q8_0, 64, 10, 3);
        Pair picked = t.i32(5, 3);
        Pair written = t.f32(64, 5, 3);
        Pair numbers = t.leaf(ElementType.I64, 5, 3);
        Pair scores = t.f32(9, 4, 2);
        t.same(b.getRows(a.ours(), picked.ours()), "ggml_get_rows", a, picked);
        t.same(b.setRows(a.ours(), written.ours(), numbers.ours()), "ggml_set_rows", a, written, numbers);
        for (SortOrder order : SortOrder.values()) {
            t.same(b.argsort(scores.ours(), order), "ggml_argsort", scores, GgmlOpParameters.code(order));
        }
        t.same(b.topK(scores.ours(), 3), "ggml_top_k", scores, 3);
    }

    private static void products(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.leaf(ElementType.Q4_0, 64, 5, 2);
        Pair x = t.f32(64, 7, 4);
        t.same(b.mulMat(a.ours(), x.ours()), "ggml_mul_mat", a, x);
        GgmlTensor precise =
                t.change(t.make("ggml_mul_mat", a, x), "ggml_mul_mat_set_prec", GgmlOpParameters.code(Precision.F32));
        t.same(b.mulMat(a.ours(), x.ours(), Precision.F32), precise);
        GgmlTensor hinted =
                t.change(precise, "ggml_mul_mat_set_hint", GgmlOpParameters.code(MulMatHint.FIRST_IS_HADAMARD));
        t.same(b.mulMat(a.ours(), x.ours(), Precision.F32, MulMatHint.FIRST_IS_HADAMARD), hinted);
        Pair experts = t.leaf(ElementType.Q4_0, 64, 5, 8);
        Pair tokens = t.f32(64, 1, 3);
        Pair ids = t.i32(2, 3);
        t.same(b.mulMatId(experts.ours(), tokens.ours(), ids.ours()), "ggml_mul_mat_id", experts, tokens, ids);
        Pair left = t.f32(5, 7, 2);
        Pair right = t.f32(3, 7, 4);
        t.same(b.outProd(left.ours(), right.ours()), "ggml_out_prod", left, right);
        Pair square = t.f32(4, 4, 2);
        Pair sides = t.f32(3, 4, 2);
        t.same(b.solveTri(square.ours(), sides.ours()), "ggml_solve_tri", square, sides, true, true, false);
    }

    private static void triangles(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair square = t.f32(4, 4, 2);
        Pair row = t.f32(4, 1, 2);
        t.same(b.diag(row.ours()), "ggml_diag", row);
        t.same(b.diagMaskInf(square.ours(), 3), "ggml_diag_mask_inf", square, 3);
        t.same(b.diagMaskInfInplace(square.ours(), 3), "ggml_diag_mask_inf_inplace", square, 3);
        t.same(b.diagMaskZero(square.ours(), 3), "ggml_diag_mask_zero", square, 3);
        for (TriangleKind kind : TriangleKind.values()) {
            t.same(b.tri(square.ours(), kind), "ggml_tri", square, GgmlOpParameters.code(kind));
        }
    }
}
