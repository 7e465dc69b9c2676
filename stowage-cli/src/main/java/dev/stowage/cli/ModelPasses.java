package dev.stowage.cli;

import dev.stowage.graph.Graph;
import dev.stowage.models.ModelGraph;
import java.util.List;

/**
 * A model with every graph that memory is taken for. Each device needs as much as the graph that takes most there, and
 * that need not be the same one everywhere.
 *
 * @param largest weights, caches and the graph that most goes through, which is the one shown
 * @param others further graphs over the same weights and caches; only of models whose parts share no weight
 */
record ModelPasses(ModelGraph largest, List<Graph> others) {
    ModelPasses {
        others = List.copyOf(others);
    }

    /** A model that is run with one graph. */
    static ModelPasses of(ModelGraph model) {
        return new ModelPasses(model, List.of());
    }
}
