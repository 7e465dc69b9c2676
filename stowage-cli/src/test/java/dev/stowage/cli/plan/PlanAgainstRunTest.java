package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.LexiconFile;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.plan.Planner;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code stowage plan} says of a file is what a run of it then takes, to the byte. */
class PlanAgainstRunTest {
    /** What planned graphics processors align to. */
    private static final long GPU_ALIGNMENT = 128;

    @TempDir
    private static Path folder;

    private static Path q4;

    @BeforeAll
    static void quantize() {
        q4 = LexiconFile.quantized("Q4_0", folder);
    }

    /** How a model is run, in the words of both sides. */
    private record RunSettings(Path file, int context, int batch, boolean flash, String cache, String planner) {
        List<String> commandLine() {
            return new ArrayList<>(List.of(
                    "plan",
                    file.toString(),
                    "--json",
                    "--ctx",
                    String.valueOf(context),
                    "--batch",
                    String.valueOf(batch),
                    flash ? "--flash" : "--no-flash",
                    "--cache-type",
                    cache,
                    "--planner",
                    planner));
        }

        ModelOptions options() {
            return ModelOptions.defaults()
                    .withContext(context)
                    .withBatch(batch)
                    .withAttention(flash ? AttentionMode.FUSED : AttentionMode.PLAIN)
                    .withCacheType(ElementType.named(cache))
                    .withSchedule(ScheduleOptions.defaults().withPlanner(Planner.named(planner)));
        }
    }

    private static void assertTaken(JsonCursor plan, LanguageModel model, Session session, String when) {
        List<JsonCursor> devices = plan.get("devices").elements();
        assertThat(devices).hasSameSizeAs(model.devices());
        for (int device = 0; device < devices.size(); device++) {
            JsonCursor planned = devices.get(device);
            String what = when + " on device " + device;
            assertThat(model.layers().layersOf(device))
                    .as("layers %s", what)
                    .containsExactly(planned.get("layers").elements().stream()
                            .mapToInt(JsonCursor::asInt)
                            .toArray());
            assertThat(model.layers().outputDevice() == device)
                    .as("output %s", what)
                    .isEqualTo(planned.get("output").asBoolean());
            assertThat(model.weightBytes(device))
                    .as("weights %s", what)
                    .isEqualTo(planned.get("weights_bytes").asLong());
            assertThat(session.cacheBytes(device))
                    .as("cache %s", what)
                    .isEqualTo(planned.get("kv_cache_bytes").asLong());
            assertThat(session.computeBytes(device))
                    .as("compute %s", what)
                    .isEqualTo(planned.get("compute_bytes").asLong());
        }
    }

    private static void runAndCompare(JsonCursor plan, RunSettings settings, ModelOptions options) {
        try (LanguageModel model = LanguageModel.open(settings.file(), options, LoadListener.NONE);
                Session session = model.newSession()) {
            assertTaken(plan, model, session, "before the run");
            int prompt = Math.max(1, Math.min(settings.context() - 4, settings.batch() + 3));
            int[] tokens = IntStream.range(0, prompt).map(i -> 1 + i % 100).toArray();
            for (boolean greedy : new boolean[] {false, true}) {
                session.clear();
                Batch batch = new Batch().greedy(greedy);
                session.run(batch.addAll(tokens, 0));
                for (int i = 0; i < 3 && session.room() > 0; i++) {
                    session.run(batch.clear().add(7 + i, 0, true));
                }
                assertTaken(plan, model, session, greedy ? "after a greedy run" : "after the run");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "f16,  512, 512, true,  f16,  ggml",
        "f16,  512, 512, true,  f16,  tight",
        "f16,  512, 64,  false, f16,  ggml",
        "f16,  512, 64,  false, f16,  tight",
        "f16,  300, 100, true,  q8_0, ggml",
        "f16,  1024, 33, false, f32,  tight",
        "Q4_0, 512, 512, true,  f16,  ggml",
        "Q4_0, 257, 16,  true,  f32,  tight",
        "Q4_0, 512, 128, false, f16,  ggml",
        "Q4_0, 100, 512, true,  f16,  ggml",
        "Q4_0, 600, 1,   false, f16,  tight",
        "Q4_0, 1,   1,   true,  f16,  ggml"
    })
    void theProcessorHoldsWhatWasPlanned(
            String type, int context, int batch, boolean flash, String cache, String planner) {
        RunSettings settings =
                new RunSettings(type.equals("f16") ? LexiconFile.F16 : q4, context, batch, flash, cache, planner);
        CommandRun plan = CommandRun.of(settings.commandLine().toArray(String[]::new));
        assertThat(plan.err()).isEmpty();

        Device processor = DeviceRegistry.load().device("cpu");
        runAndCompare(plan.json(), settings, settings.options().withDevices(List.of(processor)));
    }

    @Test
    void withoutOptionsBothDoTheSame() {
        CommandRun plan = CommandRun.of("plan", q4.toString(), "--json");
        try (LanguageModel model = LanguageModel.open(q4);
                Session session = model.newSession()) {
            assertTaken(plan.json(), model, session, "by default");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "f16,  512, 64, true,  ggml,  2",
        "f16,  512, 64, false, tight, 5",
        "Q4_0, 300, 40, true,  tight, 7",
        "Q4_0, 512, 16, false, ggml,  0"
    })
    void soDoTwoDevices(String type, int context, int batch, boolean flash, String planner, int layersOn) {
        RunSettings settings =
                new RunSettings(type.equals("f16") ? LexiconFile.F16 : q4, context, batch, flash, "f16", planner);
        List<String> line = settings.commandLine();
        line.addAll(List.of("--devices", "gpu:1GiB,cpu", "--layers-on", String.valueOf(layersOn)));
        CommandRun plan = CommandRun.of(line.toArray(String[]::new));
        assertThat(plan.err()).isEmpty();
        Device gpu = SimulatedDevice.named("gpu")
                .type(DeviceType.GPU)
                .alignment(GPU_ALIGNMENT)
                .build();
        List<Device> devices = List.of(gpu, new ReferenceProvider().devices().getFirst());

        runAndCompare(
                plan.json(), settings, settings.options().withDevices(devices).withLayersOn(List.of(layersOn)));
    }

    /** Nobody says how many layers go where: both fill the devices in order, to the last byte. */
    @ParameterizedTest
    @CsvSource({
        "f16,  512, 64, true,  f16,  ggml,  '9MiB'",
        "f16,  512, 64, true,  f16,  ggml,  '1MiB'",
        "f16,  512, 64, false, f16,  tight, '12MiB'",
        "f16,  300, 33, true,  q8_0, ggml,  '64MiB'",
        "f16,  512, 16, true,  f16,  ggml,  '3MiB,5MiB'",
        "f16,  512, 64, true,  f32,  tight, '4MiB,3MiB,9MiB'",
        "Q4_0, 512, 64, true,  f16,  ggml,  '2500KiB'",
        "Q4_0, 400, 16, false, f16,  ggml,  '2MiB,1MiB'",
        "Q4_0, 257, 50, true,  f16,  tight, '1200KiB,900KiB,700KiB'"
    })
    void devicesAreFilledAsPlanned(
            String type, int context, int batch, boolean flash, String cache, String planner, String memory) {
        RunSettings settings =
                new RunSettings(type.equals("f16") ? LexiconFile.F16 : q4, context, batch, flash, cache, planner);
        List<Device> devices = new ArrayList<>();
        List<String> specs = new ArrayList<>();
        for (String size : memory.split(",", -1)) {
            specs.add("gpu:" + size);
            devices.add(SimulatedDevice.named("gpu" + devices.size())
                    .type(DeviceType.GPU)
                    .alignment(GPU_ALIGNMENT)
                    .memoryLimit(ByteSize.parse(size).orElseThrow())
                    .build());
        }
        devices.add(new ReferenceProvider().devices().getFirst());
        List<String> line = settings.commandLine();
        line.addAll(List.of("--devices", String.join(",", specs) + ",cpu"));
        CommandRun plan = CommandRun.of(line.toArray(String[]::new));
        assertThat(plan.err()).isEmpty();

        runAndCompare(plan.json(), settings, settings.options().withDevices(devices));
    }
}
