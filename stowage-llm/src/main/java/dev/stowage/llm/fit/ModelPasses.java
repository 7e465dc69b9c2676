package dev.stowage.llm.fit;

import dev.stowage.models.DecoderGraph;
import dev.stowage.models.LayerMap;
import dev.stowage.models.ModelGraph;
import java.util.List;

/**
 * A model with every graph that memory is taken for, none of it placed. Each device needs as much as the graph that takes
 * most there, and that need not be the same one everywhere.
 *
 * @param largest weights, caches and the graph that most goes through, which is the one shown
 * @param others further graphs over the same weights and caches
 * @param sharedReads the reads in the largest graph of weights that belong to other parts: where those are on other
 *     devices, a copy of the weight is kept on the reader's
 * @param memory in which memory each weight is kept
 */
public record ModelPasses(
        ModelGraph largest, List<DecoderGraph> others, List<LayerMap.SharedRead> sharedReads, WeightMemory memory) {

    public ModelPasses {
        others = List.copyOf(others);
        sharedReads = List.copyOf(sharedReads);
    }

    /** A model without a file that is run with one graph. */
    public static ModelPasses of(ModelGraph model) {
        return new ModelPasses(model, List.of(), model.layers().sharedReads(model.graph()), WeightMemory.ofDevices());
    }
}
