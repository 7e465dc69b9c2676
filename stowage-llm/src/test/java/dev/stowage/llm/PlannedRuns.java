package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** What has to hold for every model, whatever it is for: where it runs changes no bit, and it takes what was planned. */
final class PlannedRuns {

    private PlannedRuns() {}

    /** An asynchronous device that computes as the processor does. */
    static SimulatedDevice gpu(String name) {
        return SimulatedDevice.named(name)
                .type(DeviceType.GPU)
                .async(true)
                .events(true)
                .computingWith(TestModels.cpu())
                .build();
    }

    /** Two devices that have layers, and the processor. */
    private static List<Device> devices() {
        return List.of(gpu("gpu0"), gpu("gpu1"), TestModels.cpu());
    }

    /** Checks that the tight planner, two devices and a pipeline over them give the results that the processor gives. */
    static void requireSameEverywhere(ModelOptions options, Function<ModelOptions, Object[]> results) {
        ModelOptions plain = options.withDevices(List.of(TestModels.cpu())).withRearrangedWeights(false);
        ModelOptions tight = plain.withSchedule(ScheduleOptions.defaults().withPlanner(Planner.named("tight")));
        ModelOptions shared = plain.withDevices(devices()).withLayersOn(List.of(1, 1));
        ModelOptions pipelined = shared.withSchedule(ScheduleOptions.defaults().withPipeline());
        Object[] expected = results.apply(plain);
        for (ModelOptions other : List.of(tight, shared, pipelined)) {
            assertThat(Arrays.deepEquals(results.apply(other), expected))
                    .as("the same bits on %s, %s", other.devices(), other.schedule())
                    .isTrue();
        }
    }

    /** Checks that a model with one layer on a device takes there and on the processor what was planned for it. */
    static void requireTakenAsPlanned(Path file, ModelOptions options, Consumer<Session> run) {
        ModelOptions shared =
                options.withDevices(List.of(gpu("gpu0"), TestModels.cpu())).withLayersOn(List.of(1));
        DevicePlan plan = plan(file, shared);
        try (LanguageModel model = LanguageModel.open(file, shared, LoadListener.NONE);
                Session session = model.newSession()) {
            run.accept(session);
            requireTaken(model, session, plan);
        }
    }

    private static DevicePlan plan(Path file, ModelOptions options) {
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file));
        return DevicePlanner.over(
                        options.devices().stream().map(DeviceBudget::of).toList())
                .withOptions(options.schedule())
                .withLayersOn(options.layersOn())
                .plan(new FileDecoder(blueprint, options.session(blueprint)));
    }

    /** Checks that a session and its model have as many bytes on each device as planned. */
    static void requireTaken(LanguageModel model, Session session, DevicePlan plan) {
        List<DeviceLoad> taken = new ArrayList<>();
        for (int device = 0; device < plan.loads().size(); device++) {
            taken.add(new DeviceLoad(
                    plan.loads().get(device).budget(),
                    model.weightBytes(device),
                    session.cacheBytes(device),
                    session.computeBytes(device)));
        }
        assertThat(taken).isEqualTo(plan.loads());
    }
}
