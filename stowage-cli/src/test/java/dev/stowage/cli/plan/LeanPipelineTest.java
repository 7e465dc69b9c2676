package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.recording.RecordingBufferType;
import dev.stowage.testkit.recording.RecordingDevice;
import dev.stowage.testkit.simulated.CallLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A model of the shape of Llama 8B with its layers on two accelerators alternately, four runs in flight, on devices that only
 * write down what they are asked: with copies only where they are needed it takes a fraction of the memory, and every
 * call is made as with copies everywhere.
 */
class LeanPipelineTest {

    private static final int RUNS = 6;

    /**
     * What a pipeline took and did.
     *
     * @param bytes the compute memory of each device
     * @param trace the calls, with copies of one tensor distinguished by nothing but their names
     */
    private record Outcome(List<Long> bytes, int splits, List<String> trace) {

        long total() {
            return bytes.stream().mapToLong(Long::longValue).sum();
        }
    }

    private static Outcome everywhere;
    private static Outcome lean;

    @BeforeAll
    static void run() {
        // The same tensors twice, one pipeline after the other, as the numbers of unnamed ones are in the traces.
        ModelGraph model = TransformerGraph.withoutMemory(
                ModelShapes.transformer("llama-3-8b").withoutRopeFactors(),
                TransformerOptions.ofTokens(512).withContext(512));
        everywhere = outcome(model, PipelineCopies.EVERYWHERE);
        lean = outcome(model, PipelineCopies.WHERE_NEEDED);
    }

    private static Outcome outcome(ModelGraph model, PipelineCopies copies) {
        CallLog log = new CallLog();
        List<RecordingBufferType> types = new ArrayList<>();
        List<Backend> backends = new ArrayList<>();
        for (String name : List.of("gpu0", "gpu1", "cpu")) {
            boolean isHost = name.equals("cpu");
            types.add(RecordingBufferType.of(
                    MeasuringBufferType.of(name, isHost ? 64 : 128).withHost(isHost), log));
            Device device = RecordingDevice.named(name, types.getLast())
                    .type(isHost ? DeviceType.CPU : DeviceType.GPU)
                    .asyncCopies(!isHost)
                    .events(!isHost)
                    .build();
            backends.add(device.open());
        }
        List<Buffer> placed = new ArrayList<>();
        model.weights().forEach(weight -> placed.add(place(weight, model, types, BufferUsage.WEIGHTS)));
        model.cache().forEach(cache -> placed.add(place(cache, model, types, BufferUsage.ANY)));
        ScheduleOptions options = ScheduleOptions.defaults().withPipeline().withPipelineCopies(copies);
        try (Scheduler scheduler = Scheduler.over(backends, options)) {
            BoundSchedule bound = scheduler.bind(model.graph());
            bound.runAsync();
            for (int run = 1; run < RUNS; run++) {
                bound.advance();
                bound.runAsync();
            }
            return new Outcome(
                    backends.stream().map(scheduler::bufferSize).toList(),
                    bound.schedule().splitCount(),
                    log.lines().stream()
                            .map(LeanPipelineTest::withoutCopyNumber)
                            .toList());
        } finally {
            backends.forEach(Backend::close);
            placed.forEach(Buffer::close);
        }
    }

    private static Buffer place(Tensor tensor, ModelGraph model, List<RecordingBufferType> types, BufferUsage usage) {
        int part = model.layers().partOf(tensor);
        int layer = Math.min(part, model.layers().layers() - 1);
        RecordingBufferType type = types.get(part == LayerPlacement.INPUT ? 2 : layer % 2);
        Buffer buffer = type.allocate(type.allocationSize(tensor)).setUsage(usage);
        buffer.place(tensor, 0);
        return buffer;
    }

    private static String withoutCopyNumber(String call) {
        return call.startsWith("event") ? call : call.replaceAll("(gpu\\d#[^#]*)#\\d", "$1");
    }

    @Test
    void theLayersAreOnTheAcceleratorsInTurn() {
        assertThat(everywhere.splits()).isEqualTo(33);
        assertThat(lean.splits()).isEqualTo(33);
    }

    @Test
    void itTakesAtMostAQuarterOfTheMemory() {
        assertThat(4 * lean.total())
                .as("%s instead of %s", lean.bytes(), everywhere.bytes())
                .isLessThanOrEqualTo(everywhere.total());
    }

    @Test
    void theSameCallsAreMadeInTheSameOrder() {
        assertThat(lean.trace()).hasSizeGreaterThan(RUNS * 33).isEqualTo(everywhere.trace());
    }
}
