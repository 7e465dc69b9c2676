package dev.stowage.llm.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerOptions;
import dev.stowage.tensor.ElementType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is advised where a model does not fit, as data. */
class FitAdviceTest {
    private static final long MIB = 1 << 20;
    private static final NamedDecoder SMALL =
            new NamedDecoder(ModelShapes.transformer("small"), TransformerOptions.defaults());

    private static DevicePlanner over(long... memory) {
        Stream<PlannedDevice> gpus = Stream.iterate(0, i -> i + 1)
                .limit(memory.length - 1L)
                .map(i -> PlannedDevice.gpu("gpu" + i, memory[i]));
        return DevicePlanner.over(Stream.concat(gpus, Stream.of(PlannedDevice.cpu("cpu", memory[memory.length - 1])))
                .map(DeviceBudget::of)
                .toList());
    }

    @Test
    void whatFitsNeedsNoAdvice() {
        DevicePlanner planner = over(1 << 30);
        DevicePlan plan = planner.plan(SMALL);
        assertThat(plan.fits()).isTrue();
        assertThat(plan.missing()).isZero();
        assertThat(planner.advice(SMALL, plan)).isEmpty();
    }

    @Test
    void everyChangeThatIsSaidToBeEnoughIs() {
        DevicePlanner planner = over(100 * MIB);
        DevicePlan plan = planner.plan(SMALL);
        List<FitAdvice> advice = planner.advice(SMALL, plan);
        assertThat(plan.missing()).isPositive();
        assertThat(advice).isNotEmpty().allMatch(FitAdvice::fits);
        for (FitAdvice each : advice) {
            Workload changed = changed(SMALL, each.change());
            assertThat(planner.plan(changed).fits()).as("%s", each).isTrue();
        }
    }

    private static Workload changed(NamedDecoder model, FitChange change) {
        return switch (change) {
            case FitChange.FusedAttention() -> model.withFlash(true);
            case FitChange.CacheType(ElementType type) -> model.withFlash(true).withCacheType(type);
            case FitChange.Context(int tokens) -> model.withContext(tokens);
            case FitChange.Tokens(int tokens) -> model.withTokens(tokens);
            case FitChange.WeightType(ElementType type) -> model.withWeightType(type);
            default -> throw new AssertionError("not expected here: " + change);
        };
    }

    @Test
    void layersThatDoNotFitAreAdvisedAway() {
        DevicePlanner planner = over(30 * MIB, DeviceBudget.UNLIMITED).withLayersOn(List.of(4));
        List<FitAdvice> advice = planner.advice(SMALL, planner.plan(SMALL));
        assertThat(advice.getFirst().change())
                .isInstanceOfSatisfying(
                        FitChange.LayersOn.class,
                        change -> assertThat(planner.withLayersOn(change.counts())
                                        .plan(SMALL)
                                        .fits())
                                .isTrue());
    }

    @Test
    void aNetworkForImagesIsAdvisedFewerAtOnce() {
        Workload network =
                new ImageNetwork((ResNetShape) ModelShapes.named("resnet-50"), new ResNetOptions(16, ElementType.F16));
        DevicePlanner planner = over(150 * MIB);
        assertThat(planner.advice(network, planner.plan(network)))
                .extracting(FitAdvice::change)
                .anyMatch(change -> change instanceof FitChange.Images);
        assertThat(planner.largestContext(network, planner.plan(network))).isEmpty();
    }

    @Test
    void theLargestContextFitsAndTheNextStepDoesNot() {
        int context = 8 * SessionShape.CELL_STEP;
        long enough = over(DeviceBudget.UNLIMITED)
                .plan(SMALL.withContext(context))
                .loads()
                .getFirst()
                .total();
        DevicePlanner planner = over(enough);
        assertThat(planner.largestContext(SMALL, planner.plan(SMALL)))
                .contains(new LargestContext(context, context, SMALL.trainedContext()));
        assertThat(over(enough - 1).largestContext(SMALL, planner.plan(SMALL)))
                .hasValueSatisfying(
                        largest -> assertThat(largest.withAnyLayers()).isLessThan(context));
    }

    @Test
    void planningNeverChangesWhatAnotherPlanSays() {
        DevicePlanner planner = over(80 * MIB, 90 * MIB);
        DevicePlan before = planner.plan(SMALL);
        String explained = before.schedule().explain();
        planner.advice(SMALL, before);
        planner.withLayersOn(List.of(0)).plan(SMALL);
        DevicePlan after = planner.plan(SMALL);
        assertThat(after.loads()).isEqualTo(before.loads());
        assertThat(after.schedule().explain()).isEqualTo(explained);
        assertThat(before.schedule().explain()).isEqualTo(explained);
    }

    @Test
    void impossibleLayersAreRefused() {
        DevicePlanner planner = over(MIB, MIB);
        assertThatThrownBy(() -> planner.withLayersOn(List.of(1, 2)))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("given for 2 devices, but there are 1");
        assertThatThrownBy(() -> planner.withLayersOn(List.of(6)).plan(SMALL))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("6 layers are asked for, but the model has 4, or 5 with its output");
        assertThatThrownBy(() -> DevicePlanner.over(List.of()))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("at least one device");
    }
}
