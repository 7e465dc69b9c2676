package dev.stowage.bench.ops;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Attention as llama.cpp asks for it: keys and values seen through views of a cache, fused or as a softmax. */
final class AttentionBenchCases {

    private static final int SMALL_COPIES = 32;

    private AttentionBenchCases() {}

    static List<OpBenchCase> all() {
        List<OpBenchCase> all = new ArrayList<>();
        for (ElementType type : List.of(ElementType.F16, ElementType.Q8_0, ElementType.F32)) {
            Demand demand = type == ElementType.F16 ? Demand.USUAL : Demand.ON_REQUEST;
            all.add(fused(type, Llama8B.PROMPT, Llama8B.SHORT_CONTEXT, demand));
            all.add(fused(type, Llama8B.PROMPT, Llama8B.LONG_CONTEXT, demand.patient()));
            all.add(fused(type, 1, Llama8B.SHORT_CONTEXT, demand));
            all.add(fused(type, 1, Llama8B.LONG_CONTEXT, demand));
        }
        all.add(softMax(Llama8B.PROMPT, Llama8B.SHORT_CONTEXT));
        all.add(softMax(1, Llama8B.SHORT_CONTEXT));
        all.add(softMax(1, Llama8B.LONG_CONTEXT));
        return all;
    }

    private static String shape(int tokens, int cells) {
        return tokens + " of " + cells;
    }

    /** The last tokens of a context, which see it up to themselves. */
    static OpBenchCase fused(ElementType type, int tokens, int cells, Demand demand) {
        int copies = tokens == 1 ? SMALL_COPIES : 1;
        double products = 2;
        double work = products * 2 * tokens * cells * Llama8B.HEAD_SIZE * Llama8B.HEADS * copies;
        return new OpBenchCase(
                "flash_attn",
                shape(tokens, cells),
                type,
                SpeedUnit.GFLOPS,
                work,
                type == ElementType.F32 ? ErrorBounds.TABLE : ErrorBounds.QUANTIZED,
                demand,
                data -> fused(new BenchWorkloadBuilder(data), type, tokens, cells, copies));
    }

    private static BenchWorkload fused(BenchWorkloadBuilder b, ElementType type, int tokens, int cells, int copies) {
        Tensor queries = b.input(ElementType.F32, Llama8B.HEAD_SIZE, Llama8B.HEADS, tokens);
        Tensor keys = heads(b, b.input(type, Llama8B.KV_WIDTH, cells));
        Tensor values = heads(b, b.input(type, Llama8B.KV_WIDTH, cells));
        Tensor mask = b.input(ElementType.F16, b.data().causalMask(cells, tokens, cells - tokens), cells, tokens);
        Tensor byHead = b.ops().permute(queries, 0, 2, 1, 3);
        List<Tensor> results = new ArrayList<>();
        for (int i = 0; i < copies; i++) {
            results.add(b.ops().flashAttention(byHead, keys, values, mask, scale(), 0, 0));
        }
        return b.build(results);
    }

    /** The heads of a cache whose rows are cells. */
    private static Tensor heads(BenchWorkloadBuilder b, Tensor cache) {
        Tensor cells = b.ops()
                .view3d(
                        cache,
                        Llama8B.HEAD_SIZE,
                        Llama8B.KV_HEADS,
                        cache.dim(1),
                        cache.type().rowBytes(Llama8B.HEAD_SIZE),
                        cache.stride(1),
                        0);
        return b.ops().permute(cells, 0, 2, 1, 3);
    }

    /** Attention of some tokens over a cache of its own. */
    static Tensor attention(BenchWorkloadBuilder b, ElementType type, int tokens, int cells, Tensor mask) {
        Tensor queries = b.input(ElementType.F32, Llama8B.HEAD_SIZE, Llama8B.HEADS, tokens);
        Tensor keys = heads(b, b.input(type, Llama8B.KV_WIDTH, cells));
        Tensor values = heads(b, b.input(type, Llama8B.KV_WIDTH, cells));
        return b.ops().flashAttention(b.ops().permute(queries, 0, 2, 1, 3), keys, values, mask, scale(), 0, 0);
    }

    private static float scale() {
        return (float) (1 / Math.sqrt(Llama8B.HEAD_SIZE));
    }

    private static OpBenchCase softMax(int tokens, int cells) {
        int copies = tokens == 1 ? SMALL_COPIES : 1;
        double scores = (double) tokens * cells * Llama8B.HEADS;
        double bytes = 2 * Float.BYTES * scores + Short.BYTES * (double) tokens * cells;
        return new OpBenchCase(
                "soft_max",
                shape(tokens, cells),
                ElementType.F32,
                SpeedUnit.GIGABYTES,
                bytes * copies,
                ErrorBounds.F32,
                Demand.USUAL,
                data -> {
                    BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
                    Tensor all = b.input(ElementType.F32, cells, tokens, Llama8B.HEADS);
                    Tensor mask =
                            b.input(ElementType.F16, data.causalMask(cells, tokens, cells - tokens), cells, tokens);
                    List<Tensor> results = new ArrayList<>();
                    for (int i = 0; i < copies; i++) {
                        results.add(b.ops().softMax(all, mask, scale(), 0));
                    }
                    return b.build(results);
                });
    }
}
