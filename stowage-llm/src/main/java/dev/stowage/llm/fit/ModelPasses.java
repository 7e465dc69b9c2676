package dev.stowage.llm.fit;

import dev.stowage.models.ModelGraph;
import java.util.List;

/**
 * A model with every graph that memory is taken for, none of it placed. Each device needs as much as the graph that takes
 * most there, and that need not be the same one everywhere. Every weight belongs to the part of the model that reads it.
 *
 * @param all a graph each over the same weights and caches, the one that most goes through first
 * @param memory in which memory each weight is kept
 */
public record ModelPasses(List<ModelGraph> all, WeightMemory memory) {

    public ModelPasses {
        all = List.copyOf(all);
    }

    /** A model without a file that is run with one graph. */
    public static ModelPasses of(ModelGraph model) {
        return new ModelPasses(List.of(model), WeightMemory.ofDevices());
    }

    /** Weights, caches and the graph that most goes through, which is the one shown. */
    public ModelGraph largest() {
        return all.getFirst();
    }
}
