package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import org.junit.jupiter.api.Test;

/** The examples of this module's documentation, which are taken from here. */
class ModelSnippetTest {

    @Test
    void aShapeIsPlannedWithoutWeights() {
        // @start region="plan"
        ModelGraph model = TransformerGraph.of(ModelShapes.transformer("llama-3-8b"), TransformerOptions.ofTokens(512));
        MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(model.graph(), HostBufferType.standard()));
        // @end
        PlanValidator.requireValid(plan);
        assertThat(plan.size()).isPositive();
    }

    @Test
    void optionsOfGeneration() {
        // @start region="options"
        TransformerOptions generation =
                TransformerOptions.ofTokens(1).withContext(8192).withFlash(true);
        // @end
        assertThat(generation.context()).isEqualTo(8192);
    }
}
