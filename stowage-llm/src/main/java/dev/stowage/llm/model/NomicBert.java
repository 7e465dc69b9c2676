package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;

/** nomic-embed-text: a BERT with rope in place of vectors of positions, and a gate. */
final class NomicBert implements Architecture {

    @Override
    public String name() {
        return "nomic-bert";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        int step = numbers.count("moe_every_n_layers", 0);
        if (step > 0) {
            numbers.refuse("moe_every_n_layers", step + "; encoders with experts cannot be run here");
        }
        return Bert.encoder(numbers, false, true, Bert.traits());
    }
}
