package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufFile;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.WeightMemory;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.LayerPlacement;
import dev.stowage.plan.Planner;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is planned for devices is where a model that is opened on them goes, and what it takes, to the byte. */
class FitAgainstRunTest {

    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();

    private static Path model(Random random) {
        List<String> names = List.of("lexicon-5m-f16", "lexicon-5m-Q4_0", "tiny-qwen2");
        return TestModels.file(names.get(random.nextInt(names.size())));
    }

    private static ModelOptions options(Random random) {
        ScheduleOptions schedule = ScheduleOptions.defaults()
                .withPlanner(random.nextBoolean() ? Planner.ggml() : Planner.named("tight"))
                .withPipeline(random.nextInt(4) == 0 ? 3 : 1)
                .withOffloadedOps(random.nextInt(4) == 0);
        return ModelOptions.defaults()
                .withContext(32 + random.nextInt(300))
                .withBatch(1 + random.nextInt(60))
                .withSequences(1 + random.nextInt(3))
                .withCacheType(random.nextBoolean() ? ElementType.F16 : ElementType.F32)
                .withAttention(random.nextBoolean() ? AttentionMode.FUSED : AttentionMode.PLAIN)
                .withSchedule(schedule);
    }

    /** A device with rules of its own: alignment, largest buffer, ops it does not run, memory it reads. */
    private static SimulatedDevice gpu(String name, long memory, Random random) {
        SimulatedDeviceBuilder builder = SimulatedDevice.named(name)
                .memoryLimit(memory)
                .alignment(64L << random.nextInt(4))
                .async(random.nextBoolean())
                .computingWith(TestModels.cpu());
        if (random.nextInt(3) == 0) {
            builder.maxBufferSize(1L << 20);
        }
        if (random.nextInt(3) == 0) {
            Op refused = random.nextBoolean() ? Op.ROPE : Op.GLU;
            builder.supporting(node -> node.op() == refused ? OpSupport.no("not here") : OpSupport.yes());
        }
        if (random.nextInt(4) == 0) {
            builder.readingHostMemory();
        }
        if (random.nextBoolean()) {
            builder.offloading(node -> node.op() == Op.MUL_MAT && node.dim(1) >= 32);
        }
        return builder.build();
    }

    private static FileDecoder workload(Path file, ModelOptions options) {
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file));
        return new FileDecoder(blueprint, options.session(blueprint));
    }

    private static DevicePlan plan(Path file, ModelOptions options, List<Device> devices) {
        return DevicePlanner.over(devices.stream().map(DeviceBudget::of).toList())
                .withOptions(options.schedule())
                .plan(workload(file, options));
    }

    private static int[] devicesOfParts(LayerPlacement layers) {
        return IntStream.rangeClosed(LayerPlacement.INPUT, layers.layers())
                .map(layers::deviceOf)
                .toArray();
    }

    private static void runAsPlanned(Path file, ModelOptions options, List<Device> devices, DevicePlan plan) {
        try (LanguageModel model = LanguageModel.open(file, options.withDevices(devices), LoadListener.NONE)) {
            assertThat(devicesOfParts(model.layers())).isEqualTo(devicesOfParts(plan.layers()));
            try (Session session = model.newSession()) {
                PlannedRuns.requireTaken(model, session, plan);
                int tokens = Math.min(session.context() - 2, options.batch() + 1);
                session.run(new Batch()
                        .addAll(IntStream.range(1, 1 + tokens).map(i -> i % 100).toArray(), 0));
                session.run(new Batch().add(7, 0, true));
                PlannedRuns.requireTaken(model, session, plan);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})
    void aModelIsPutWhereItWasPlannedAndTakesWhatWasPlanned(long seed) {
        Random random = new Random(seed);
        Path file = model(random);
        ModelOptions options = options(random);
        List<Device> devices = List.of(
                gpu("gpu0", random.nextLong(1, 12L << 20), random),
                gpu("gpu1", random.nextLong(1, 6L << 20), random),
                random.nextInt(4) == 0 ? REFERENCE : TestModels.cpu());

        DevicePlan plan = plan(file, options, devices);

        List<DeviceLoad> accelerators = plan.loads().subList(0, 2);
        if (accelerators.stream().allMatch(DeviceLoad::fits)) {
            runAsPlanned(file, options, devices, plan);
        } else {
            // Where ops are offloaded, even a device without a layer computes, and may have too little memory for that.
            assertThat(options.schedule().offloadsOps()).as("seed %d", seed).isTrue();
            assertThat(plan.layers().parts()).as("seed %d", seed).containsOnly(0);
        }
    }

    private static SimulatedDevice gpuOf(long memory) {
        return SimulatedDevice.named("gpu")
                .alignment(128)
                .memoryLimit(memory)
                .computingWith(TestModels.cpu())
                .build();
    }

    /** Seven eighths of its memory would be too little, and one byte less is. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 6, 7})
    void aDeviceWithExactlyAsMuchMemoryAsPlannedHoldsTheModel(int parts) {
        Path file = TestModels.lexicon();
        ModelOptions options = ModelOptions.defaults().withBatch(16);
        List<Device> roomy = List.of(gpuOf(1L << 30), TestModels.cpu());
        FileDecoder workload = workload(file, options);
        DevicePlan wanted = DevicePlanner.over(
                        roomy.stream().map(DeviceBudget::of).toList())
                .withLayersOn(List.of(parts))
                .plan(workload);
        long needed = wanted.loads().getFirst().total();

        List<Device> exact = List.of(gpuOf(needed), TestModels.cpu());
        DevicePlan plan = plan(file, options, exact);
        assertThat(devicesOfParts(plan.layers())).isEqualTo(devicesOfParts(wanted.layers()));
        assertThat(plan.loads().getFirst().free()).isZero();
        runAsPlanned(file, options, exact, plan);

        List<Device> tooSmall = List.of(gpuOf(needed - 1), TestModels.cpu());
        DevicePlan less = plan(file, options, tooSmall);
        assertThat(less.layers().parts()[0]).isLessThan(plan.layers().parts()[0]);
        runAsPlanned(file, options, tooSmall, less);
    }

    @Test
    void planningLeavesTheTensorsOfABlueprintAlone() {
        ModelOptions options = ModelOptions.defaults();
        FileDecoder workload = workload(TestModels.lexicon(), options);
        plan(TestModels.lexicon(), options, List.of(gpu("gpu", 8L << 20, new Random(1)), REFERENCE));
        DevicePlanner.over(List.of(DeviceBudget.of(REFERENCE))).plan(workload);
        assertThat(workload.blueprint().weights()).noneMatch(Tensor::isPlaced);
    }

    @Test
    void theTypeOfAMappedFileIsKnownBeforeItIsMapped() {
        for (String name : List.of("lexicon-5m-f16", "tiny-qwen2")) {
            try (GgufFile file = GgufFile.open(TestModels.file(name))) {
                assertThat(file.contents().tensors().keySet())
                        .allSatisfy(tensor -> assertThat(WeightMemory.mappedType(file.contents(), tensor))
                                .isEqualTo(file.bufferOf(tensor).type()));
            }
        }
    }
}
