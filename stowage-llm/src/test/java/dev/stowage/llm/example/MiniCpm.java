package dev.stowage.llm.example;

import dev.stowage.llm.model.Architecture;
import dev.stowage.llm.model.HyperParameters;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** MiniCPM: a Llama that scales what comes in, what each layer adds, and what goes out. */
public final class MiniCpm implements Architecture {

    @Override
    public String name() {
        return "minicpm";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        TransformerShape llama = numbers.transformer(RopeMode.NORMAL, false, numbers.count("feed_forward_length"));
        float residual = 1.4f / (float) Math.sqrt(llama.layers());
        return llama.with(TransformerTraits.builder()
                .scales(
                        numbers.number("embedding_scale", 12f),
                        numbers.number("residual_scale", residual),
                        1f / numbers.numberAbove0("logit_scale", 256f / llama.width()))
                .build());
    }
}
