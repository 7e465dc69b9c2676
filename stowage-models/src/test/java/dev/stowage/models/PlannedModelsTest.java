package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That the memory of every model can be planned, whichever way it is run. */
class PlannedModelsTest {

    private static final TransformerShape SMALL = ModelShapes.transformer("small");

    private static List<ModelGraph> models() {
        List<ModelGraph> models = new ArrayList<>();
        for (ModelShape shape : ModelShapes.all()) {
            switch (shape) {
                case TransformerShape transformer -> {
                    for (int tokens : List.of(1, 512)) {
                        TransformerOptions options = TransformerOptions.ofTokens(tokens);
                        models.add(TransformerGraph.of(transformer, options));
                        models.add(TransformerGraph.of(transformer, options.withFlash(true)));
                    }
                }
                case ResNetShape network -> {
                    models.add(ResNetGraph.of(network, ResNetOptions.defaults()));
                    models.add(ResNetGraph.of(network, ResNetOptions.ofBatch(8)));
                }
            }
        }
        TransformerOptions flash = TransformerOptions.defaults().withFlash(true);
        models.add(TransformerGraph.of(SMALL, flash.withCacheType(ElementType.Q8_0)));
        models.add(TransformerGraph.of(SMALL, flash.withCacheType(ElementType.F32)));
        models.add(TransformerGraph.of(SMALL.withExperts(8, 2), TransformerOptions.defaults()));
        models.add(TransformerGraph.of(SMALL.withExperts(4, 1), flash));
        return models;
    }

    private static MemoryPlan plan(ModelGraph model) {
        return Planner.ggml().plan(PlanRequest.of(model.graph(), HostBufferType.standard()));
    }

    @ParameterizedTest
    @MethodSource("models")
    void everyPlanIsValid(ModelGraph model) {
        MemoryPlan plan = plan(model);
        assertThat(PlanValidator.check(plan)).isEmpty();
        assertThat(PlanValidator.hazards(plan)).isEmpty();
        assertThat(plan.size()).isGreaterThanOrEqualTo(plan.analysis().lowerBound());
    }

    @ParameterizedTest
    @MethodSource("models")
    void weightsAndCachesAreNotPlanned(ModelGraph model) {
        MemoryPlan plan = plan(model);
        List<Tensor> kept = new ArrayList<>(model.weights());
        kept.addAll(model.cache());
        // Of the factors for short and for long contexts, a graph reads those of its own.
        kept.removeIf(tensor ->
                tensor.name().startsWith("rope_factors") && !model.graph().contains(tensor));
        assertThat(kept).allSatisfy(tensor -> {
            assertThat(plan.placement(tensor)).isEmpty();
            assertThat(plan.request().isFixed(model.graph().idOf(tensor))).isTrue();
        });
    }

    @Test
    void flashAttentionTakesLessMemoryForManyTokens() {
        MemoryPlan plain = plan(TransformerGraph.of(SMALL, TransformerOptions.defaults()));
        MemoryPlan flash =
                plan(TransformerGraph.of(SMALL, TransformerOptions.defaults().withFlash(true)));
        long scores = (long) Float.BYTES * SMALL.heads() * 512 * 4096;
        assertThat(flash.size()).isLessThan(plain.size() - scores / 2);
    }

    @Test
    void oneTokenTakesLessMemoryThanMany() {
        MemoryPlan one = plan(TransformerGraph.of(SMALL, TransformerOptions.ofTokens(1)));
        MemoryPlan many = plan(TransformerGraph.of(SMALL, TransformerOptions.ofTokens(512)));
        assertThat(one.size()).isLessThan(many.size());
    }

    @Test
    void theSameModelGivesTheSamePlan() {
        MemoryPlan first = plan(TransformerGraph.of(SMALL, TransformerOptions.defaults()));
        MemoryPlan second = plan(TransformerGraph.of(SMALL, TransformerOptions.defaults()));
        assertThat(second.explain()).isEqualTo(first.explain());
    }
}
