package dev.stowage.llm.example;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.llm.model.Architecture;
import dev.stowage.llm.model.HyperParameters;
import dev.stowage.models.DecoderBlocks;
import dev.stowage.models.DecoderGraph;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;

/** Granite: a Llama that scales what comes in, what each layer adds, and what goes out. */
public final class Granite implements Architecture {

    @Override
    public String name() {
        return "granite";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        return numbers.transformer(RopeMode.NORMAL, false, numbers.count("feed_forward_length"));
    }

    @Override
    public DecoderGraph graph(DecoderBlocks blocks, HyperParameters numbers) {
        GraphBuilder ops = blocks.ops();
        float residual = numbers.number("residual_scale", 1f);
        int last = blocks.shape().layers() - 1;
        Tensor x = ops.scale(blocks.embeddings(), numbers.number("embedding_scale", 1f));
        for (int layer = 0; layer <= last; layer++) {
            Tensor attended = blocks.attend(blocks.attentionNorm(x, layer), layer);
            if (layer == last) {
                attended = blocks.selectOutputs(attended);
                x = blocks.selectOutputs(x);
            }
            Tensor between = ops.add(ops.scale(attended, residual), x);
            Tensor changed = blocks.feedForward(blocks.feedForwardNorm(between, layer), layer);
            x = ops.add(ops.scale(changed, residual), between);
        }
        Tensor logits = ops.scale(blocks.logits(x), 1f / numbers.number("logit_scale"));
        return blocks.graph(logits.asOutput());
    }
}
