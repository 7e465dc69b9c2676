package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.op.OpPairs.Pair;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.UnaryFunction;
import java.util.Locale;

/** Ops that work element by element, and those that make elements from nothing. */
final class ElementOpChecks {

    private ElementOpChecks() {}

    static void run(OpPairs t) {
        arithmetic(t);
        functions(t);
        gates(t);
        generators(t);
    }

    private static void arithmetic(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        Pair row = t.f32(6);
        t.same(b.add(a.ours(), row.ours()), "ggml_add", a, row);
        t.same(b.addInplace(a.ours(), row.ours()), "ggml_add_inplace", a, row);
        t.same(b.sub(a.ours(), row.ours()), "ggml_sub", a, row);
        t.same(b.mul(a.ours(), row.ours()), "ggml_mul", a, row);
        t.same(b.div(a.ours(), row.ours()), "ggml_div", a, row);
        Pair half = t.f16(6, 4, 2);
        t.same(b.addCast(half.ours(), row.ours(), ElementType.F32), "ggml_add_cast", half, row, ElementType.F32.code());
        Pair experts = t.f32(6, 9);
        Pair ids = t.i32(4, 2);
        t.same(b.addId(a.ours(), experts.ours(), ids.ours()), "ggml_add_id", a, experts, ids);
        Pair one = t.f32(1);
        t.same(b.add1(a.ours(), one.ours()), "ggml_add1", a, one);
        t.same(b.scale(a.ours(), 2.5f), "ggml_scale", a, 2.5f);
        t.same(b.scaleBias(a.ours(), 2.5f, -3.5f), "ggml_scale_bias", a, 2.5f, -3.5f);
        t.same(b.scaleBiasInplace(a.ours(), 2.5f, -3.5f), "ggml_scale_bias_inplace", a, 2.5f, -3.5f);
        t.same(b.acc(a.ours(), row.ours(), 48, 96, 192, 24), "ggml_acc", a, row, 48L, 96L, 192L, 24L);
        t.same(b.accInplace(a.ours(), row.ours(), 48, 96, 192, 24), "ggml_acc_inplace", a, row, 48L, 96L, 192L, 24L);
    }

    private static void functions(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        t.same(b.sqr(a.ours()), "ggml_sqr", a);
        t.same(b.sqrt(a.ours()), "ggml_sqrt", a);
        t.same(b.log(a.ours()), "ggml_log", a);
        t.same(b.sin(a.ours()), "ggml_sin", a);
        t.same(b.cos(a.ours()), "ggml_cos", a);
        t.same(b.clamp(a.ours(), -1.5f, 2.5f), "ggml_clamp_inplace", a, -1.5f, 2.5f);
        t.same(b.leakyRelu(a.ours(), 0.25f), "ggml_leaky_relu", a, 0.25f, false);
        t.same(b.leakyReluInplace(a.ours(), 0.25f), "ggml_leaky_relu", a, 0.25f, true);
        for (UnaryFunction function : UnaryFunction.values()) {
            if (function != UnaryFunction.XIELU) {
                t.same(b.unary(a.ours(), function), "ggml_" + function.name().toLowerCase(Locale.ROOT), a);
            }
        }
        t.same(b.xielu(a.ours(), 0.5f, 0.75f, 1.25f, -2f), "ggml_xielu", a, 0.5f, 0.75f, 1.25f, -2f);
    }

    private static void gates(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        Pair up = t.f32(6, 4, 2);
        for (GluFunction function : GluFunction.values()) {
            if (function != GluFunction.SWIGLU_OAI) {
                String name = "ggml_" + function.name().toLowerCase(Locale.ROOT);
                t.same(b.glu(a.ours(), function), name, a);
                t.same(b.gluSwapped(a.ours(), function), name + "_swapped", a);
                t.same(b.gluSplit(a.ours(), up.ours(), function), name + "_split", a, up);
            }
        }
        t.same(b.swigluOai(a.ours(), up.ours(), 1.75f, 7f), "ggml_swiglu_oai", a, up, 1.75f, 7f);
    }

    private static void generators(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        t.same(b.fill(a.ours(), 3.5f), "ggml_fill", a, 3.5f);
        t.same(b.fillInplace(a.ours(), 3.5f), "ggml_fill_inplace", a, 3.5f);
        t.same(b.arange(1f, 8f, 1.5f), "ggml_arange", 1f, 8f, 1.5f);
        Pair steps = t.f32(3);
        t.same(b.timestepEmbedding(steps.ours(), 10, 1000), "ggml_timestep_embedding", steps, 10, 1000);
    }
}
