package dev.stowage.bench.ops;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All of Llama 3.2 1B with random weights: a prompt, and one token after a prompt. The output matrix is a tensor of its
 * own, as llama.cpp has it even where a file has it once: the embeddings are looked up in, the other is multiplied with.
 */
final class TransformerBenchCases {

    private static final String MODEL = "llama-3-1b";
    private static final int PROMPT = 128;
    private static final int CONTEXT = 256;
    private static final double WEIGHT_DEVIATION = 0.02;

    private TransformerBenchCases() {}

    static List<OpBenchCase> all() {
        TransformerShape shape = untied(ModelShapes.transformer(MODEL));
        return List.of(
                model(shape, ElementType.Q4_0, PROMPT, 0, Demand.PATIENT),
                model(shape, ElementType.Q4_0, 1, PROMPT, Demand.USUAL));
    }

    private static TransformerShape untied(TransformerShape shape) {
        return new TransformerShape(
                shape.name(),
                shape.description(),
                shape.layers(),
                shape.width(),
                shape.heads(),
                shape.kvHeads(),
                shape.headSize(),
                shape.feedForward(),
                shape.vocabulary(),
                shape.normEpsilon(),
                shape.rope(),
                shape.qkNorm(),
                false,
                shape.experts(),
                shape.usedExperts());
    }

    /** Some tokens of a model, of which the last gives logits, after {@code past} others. */
    static OpBenchCase model(TransformerShape shape, ElementType type, int tokens, int past, Demand demand) {
        return new OpBenchCase(
                "model",
                shape.name() + (tokens == 1 ? " 1 token" : " " + tokens + " tokens"),
                type,
                SpeedUnit.TOKENS,
                tokens,
                ErrorBounds.MODEL,
                demand,
                data -> workload(shape, type, tokens, past, data));
    }

    private static BenchWorkload workload(
            TransformerShape shape, ElementType type, int tokens, int past, TestData data) {
        TransformerOptions options = TransformerOptions.ofTokens(tokens)
                .withContext(CONTEXT)
                .withFlash(true)
                .withWeightType(type);
        ModelGraph model = TransformerGraph.withoutMemory(shape, options);
        Map<Tensor, MemorySegment> contents = new HashMap<>();
        for (Tensor weight : model.weights()) {
            contents.put(weight, weightContents(weight, data));
        }
        for (Tensor cache : model.cache()) {
            contents.put(cache, data.random(cache.type(), cache.shape().elements(), 1, 1));
        }
        for (Tensor leaf : model.graph().leaves()) {
            contents.computeIfAbsent(leaf, input -> inputContents(input, shape, tokens, past, data));
        }
        return new BenchWorkload(model.graph(), contents, model.graph().nodes().getLast());
    }

    private static MemorySegment weightContents(Tensor weight, TestData data) {
        long elements = weight.shape().elements();
        boolean matrix = weight.dim(1) > 1;
        return matrix ? data.random(weight.type(), elements, WEIGHT_DEVIATION, 0) : data.constant(1f, elements);
    }

    private static MemorySegment inputContents(
            Tensor input, TransformerShape shape, int tokens, int past, TestData data) {
        int stride = 7919;
        return switch (input.name()) {
            case "inp_tokens" -> data.ints(tokens, i -> (i + 1) * stride % shape.vocabulary());
            case "inp_pos" -> data.ints(tokens, i -> past + i);
            case "attn_inp_k_idxs", "attn_inp_v_idxs" -> data.longs(tokens, i -> past + i);
            case "attn_inp_kq_mask" -> data.causalMask(CONTEXT, tokens, past);
            case "out_ids" -> data.ints(1, _ -> tokens - 1);
            default -> data.zeros(input.byteSize());
        };
    }
}
