package dev.stowage.llm.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.memory.Buffer;
import dev.stowage.models.LayerMap;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerOptions;
import dev.stowage.plan.PlanValidator;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.SplitInput;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Llama 3 8B over devices, beside what is known of llama.cpp. */
class DevicePlanTest {
    private static final double MIB = 1 << 20;
    private static final TransformerOptions FLASH =
            TransformerOptions.ofTokens(512).withFlash(true);
    private static final LayerPlacement HALVES = LayerPlacement.ofLayers(32, 16, 16);

    /** Devices without a limit, such as {@code gpu,gpu,cpu}. */
    private static List<DeviceBudget> devices(String list) {
        return Stream.of(list.split(","))
                .map(kind -> kind.equals("gpu")
                        ? PlannedDevice.gpu("gpu", DeviceBudget.UNLIMITED)
                        : PlannedDevice.cpu("cpu", DeviceBudget.UNLIMITED))
                .map(DeviceBudget::of)
                .toList();
    }

    private static Workload llama(TransformerOptions options) {
        return new NamedDecoder(ModelShapes.transformer("llama-3-8b"), options);
    }

    private static DevicePlan plan(Workload model, String list, LayerPlacement layers, ScheduleOptions options) {
        return DevicePlan.of(model, devices(list), layers, options);
    }

    private static DevicePlan plan(TransformerOptions options, String list, LayerPlacement layers) {
        return plan(llama(options), list, layers, ScheduleOptions.defaults());
    }

    /** Each layer on another of two devices than the one before, the output with the last. */
    private static LayerPlacement alternating() {
        return LayerPlacement.of(
                3,
                IntStream.rangeClosed(0, 32).map(part -> Math.min(part, 31) % 2).toArray());
    }

    private static List<Double> mebibytes(DevicePlan plan, ToLongFunction<DeviceLoad> part) {
        return plan.loads().stream()
                .map(load -> Math.round(part.applyAsLong(load) / MIB * 100) / 100.0)
                .toList();
    }

    @Test
    void layersInARowMakeASplitForEachDevice() {
        Schedule schedule = plan(FLASH, "gpu,gpu,cpu", HALVES).schedule();
        assertThat(schedule.graph().nodeCount()).isEqualTo(999);
        assertThat(schedule.splits()).extracting(split -> split.device()).containsExactly(2, 0, 1);
    }

    @Test
    void alternatingLayersMakeASplitForEachLayerAndOneForTheEmbeddings() {
        assertThat(plan(FLASH, "gpu,gpu,cpu", alternating()).schedule().splitCount())
                .isEqualTo(33);
    }

    @Test
    void layersLeftToTheProcessorMakeNoFurtherSplit() {
        LayerPlacement some = LayerPlacement.ofLayers(32, 10, 10);
        assertThat(plan(FLASH, "gpu,gpu,cpu", some).schedule().splitCount()).isEqualTo(3);
    }

    @Test
    void aModelOnTheProcessorAloneIsOneSplit() {
        Schedule schedule = plan(FLASH, "cpu", LayerPlacement.ofLayers(32)).schedule();
        assertThat(schedule.splitCount()).isEqualTo(1);
        assertThat(schedule.inputCopyCount()).isZero();
    }

    @Test
    void whatCrossesBetweenTwoGpusIsTheResultOfALayer() {
        Schedule schedule = plan(FLASH, "gpu,gpu,cpu", HALVES).schedule();
        assertThat(schedule.splits().getLast().inputs())
                .filteredOn(input -> input.from() == 0)
                .extracting(SplitInput::source)
                .extracting(Tensor::name)
                .containsExactly("l_out-15");
    }

    /** Together the 15317.02 MiB of the f16 file: the embeddings stay, all else goes to the device of the layers. */
    @Test
    void onlyTheEmbeddingsStayOnTheProcessor() {
        DevicePlan plan = plan(FLASH, "gpu,cpu", LayerPlacement.ofLayers(32, 32));
        assertThat(mebibytes(plan, DeviceLoad::weights)).containsExactly(14315.02, 1002.00);
        assertThat(mebibytes(plan, DeviceLoad::cache)).containsExactly(512.00, 0.0);
    }

    /** The logits of all tokens beside the normed rows they are made from, and the tokens chosen: 128,256 x 512, 4,096 x 512 and 512 numbers. */
    @Test
    void logitsOfAllTokensDecideTheComputeBuffer() {
        DevicePlan plan = plan(FLASH.withOutputs(512), "gpu,cpu", LayerPlacement.ofLayers(32, 32));
        assertThat(plan.loads().getFirst().compute()).isEqualTo(4L * 512 * (128_256 + 4_096 + 1));
    }

    @Test
    void aHalfIsHalfOfTheLayers() {
        DevicePlan plan = plan(FLASH.withWeightType(ElementType.Q4_0), "gpu,gpu,cpu", HALVES);
        long perLayer =
                (long) (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14_336) / 32 * 18 + 2 * 4096 * 4 + 64 * 4;
        long output = 4096L * 128_256 / 32 * 18 + 4096 * 4;
        assertThat(plan.loads())
                .extracting(DeviceLoad::weights)
                .containsExactly(16 * perLayer, 16 * perLayer + output, 4096L * 128_256 / 32 * 18);
        assertThat(mebibytes(plan, DeviceLoad::cache)).containsExactly(256.0, 256.0, 0.0);
    }

    @Test
    void everyWeightAndCacheIsStoredOnTheDeviceOfItsLayer() {
        ModelPasses passes = llama(FLASH).build();
        LayerMap parts = passes.largest().layers();
        List<DeviceBudget> devices = devices("gpu,gpu,cpu");
        LayerPlacement layers = LayerPlacement.ofLayers(32, 10, 7);
        new StoredTensors(passes, devices, layers, false);
        assertThat(Stream.concat(passes.largest().weights().stream(), passes.largest().cache().stream()))
                .allSatisfy(tensor -> assertThat(Buffer.of(tensor).type())
                        .isSameAs(devices.get(layers.deviceOf(parts.partOf(tensor)))
                                .device()
                                .bufferType()));
    }

    @Test
    void noWeightCrosses() {
        Schedule schedule = plan(FLASH, "gpu,gpu,cpu", HALVES).schedule();
        assertThat(schedule.splits())
                .flatExtracting(split -> split.inputs())
                .noneMatch(input -> input.source().isWeight());
    }

    @Test
    void tiedEmbeddingsAreThereForTheLookupAndForTheProduct() {
        Workload small = new NamedDecoder(ModelShapes.transformer("small"), TransformerOptions.defaults());
        long parameters = small.parameters() + 512 * 32_000;
        DevicePlan apart = plan(small, "gpu,cpu", LayerPlacement.ofLayers(4, 4), ScheduleOptions.defaults());
        DevicePlan together = plan(small, "cpu", LayerPlacement.ofLayers(4), ScheduleOptions.defaults());
        long norms = 2L * 512 * (2 * 4 + 1);
        assertThat(apart.loads().stream().mapToLong(DeviceLoad::weights).sum()).isEqualTo(2 * parameters + norms);
        assertThat(together.loads().getFirst().weights()).isEqualTo(2 * parameters + norms);
        assertThat(apart.schedule().splitCount()).isEqualTo(2);
    }

    /** ggml's passes alone, without the norms that llama.cpp assigns, and with the context that gives 108 MiB. */
    @Test
    void aPipelineOfGgmlTakesTenfoldMemoryWithAlternatingLayers() {
        Workload model = llama(FLASH.withContext(512));
        DevicePlan placed = plan(model, "gpu,gpu,cpu", alternating(), ScheduleOptions.defaults());
        assertThat((long) (compute(placed, ScheduleOptions.defaults()) / MIB)).isEqualTo(108);
        assertThat((long) (compute(placed, ScheduleOptions.defaults().withPipeline()) / MIB))
                .isEqualTo(1094);
    }

    private static long compute(DevicePlan placed, ScheduleOptions options) {
        DeviceSet devices = placed.schedule().devices();
        return Schedule.of(ScheduleRequest.of(placed.schedule().graph(), devices, options))
                .computeSize(0);
    }

    @Test
    void aLeanPipelineTakesLessThanAQuarterOfThatWithAlternatingLayers() {
        Workload model = llama(FLASH);
        ScheduleOptions everywhere = ScheduleOptions.defaults().withPipeline();
        ScheduleOptions lean = everywhere.withPipelineCopies(PipelineCopies.WHERE_NEEDED);
        long ofGgml = compute(plan(model, "gpu,gpu,cpu", alternating(), everywhere));
        long leaner = compute(plan(model, "gpu,gpu,cpu", alternating(), lean));
        assertThat(leaner).isLessThanOrEqualTo(ofGgml / 4);
    }

    private static long compute(DevicePlan plan) {
        return plan.loads().stream().mapToLong(DeviceLoad::compute).sum();
    }

    @Test
    void offloadingBringsTheWeightsOfTheLayersOverInEveryRun() {
        Workload model = llama(FLASH);
        Schedule schedule = plan(
                        model,
                        "gpu,gpu,cpu",
                        LayerPlacement.ofLayers(32, 0, 0),
                        ScheduleOptions.defaults().withOffloadedOps(true))
                .schedule();
        ModelGraph built = model.build().largest();
        long ofLayers = built.weights().stream()
                .filter(weight ->
                        weight.name().startsWith("blk.") && built.layers().partOf(weight) < 31)
                .mapToLong(Tensor::byteSize)
                .sum();
        assertThat(schedule.inputCopyBytes()).isGreaterThan(ofLayers);
        assertThat(schedule.computeSize(1)).isZero();
    }

    @Test
    void thePlanBreaksNoRule() {
        DevicePlan plan = plan(FLASH, "gpu,gpu,cpu", LayerPlacement.ofLayers(32, 10, 10));
        assertThat(PlanValidator.check(plan.schedule().plan())).isEmpty();
    }

    @Test
    void planningTwiceGivesTheSame() {
        Workload model = llama(FLASH);
        List<DeviceBudget> devices = devices("gpu,gpu,cpu");
        DevicePlan first = DevicePlan.of(model, devices, HALVES, ScheduleOptions.defaults());
        DevicePlan second = DevicePlan.of(model, devices, HALVES, ScheduleOptions.defaults());
        assertThat(second.loads()).isEqualTo(first.loads());
        assertThat(second.schedule().explain()).isEqualTo(first.schedule().explain());
    }
}
