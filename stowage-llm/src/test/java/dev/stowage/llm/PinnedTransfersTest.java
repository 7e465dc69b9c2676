package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.LogEntry;
import dev.stowage.testkit.race.MemoryAccess;
import dev.stowage.testkit.race.RaceDetector;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session exchanges with a device goes through the host memory of that device, and never through an array. */
class PinnedTransfersTest {

    private static final int VOCABULARY = 2048;
    private static final int LAYERS_AND_OUTPUT = 4;

    private static SimulatedDevice gpu(AccessLog log) {
        return SimulatedDevice.named("gpu")
                .hostBuffers(true)
                .accesses(log)
                .computingWith(TestModels.cpu())
                .build();
    }

    private static ModelOptions options(List<Device> devices) {
        ModelOptions options = ModelOptions.defaults()
                .withContext(64)
                .withRearrangedWeights(false)
                .withDevices(devices);
        return devices.size() > 1 ? options.withLayersOn(List.of(LAYERS_AND_OUTPUT)) : options;
    }

    private static List<float[]> run(List<Device> devices) {
        List<float[]> logits = new ArrayList<>();
        try (LanguageModel model =
                        LanguageModel.open(TestModels.file("tiny-qwen2"), options(devices), LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(new Batch().add(5, 0, true).add(6, 0, false).add(7, 0, true));
            logits.add(session.logits(0).clone());
            logits.add(session.logits(1).clone());
            session.run(new Batch().add(8, 0, true));
            logits.add(session.logits(0).clone());
        }
        return logits;
    }

    /** With a processor, which then keeps the inputs, or without one, so that they are written to the device itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noArrayIsTransferredToOrFromADevice(boolean hasProcessor) {
        AccessLog log = new AccessLog();
        Device cpu = TestModels.cpu();
        List<float[]> logits = run(hasProcessor ? List.of(gpu(log), cpu) : List.of(gpu(log)));

        List<MemoryAccess> accesses = log.entries().stream()
                .filter(LogEntry.Work.class::isInstance)
                .flatMap(work -> ((LogEntry.Work) work).accesses().stream())
                .toList();
        assertThat(accesses)
                .anyMatch(access -> access.isWrite() && access.memory().equals("host memory"));
        assertThat(accesses)
                .noneMatch(access -> access.bytes().space().getClass().isArray());
        assertThat(RaceDetector.races(log)).isEmpty();
        assertThat(logits.toArray(float[][]::new))
                .isDeepEqualTo(run(List.of(cpu)).toArray(float[][]::new));
    }

    @Test
    void inputsAndLogitsAreInTheHostMemoryOfTheDevice(@TempDir Path folder) throws IOException {
        SimulatedDevice gpu = gpu(new AccessLog());
        String pinned = gpu.hostBufferType().orElseThrow().name();
        List<RecordedEvent> allocated = buffersAllocated(folder, () -> run(List.of(gpu, TestModels.cpu())));

        assertThat(allocated)
                .filteredOn(event -> event.getString("bufferType").equals(pinned))
                .extracting(event -> event.getLong("size"))
                .contains(2L * VOCABULARY * Float.BYTES)
                .hasSizeGreaterThan(1);
    }

    /** Whether logits come back, or a token. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tokensAfterTheSecondTakeNoMoreHostMemory(boolean greedy, @TempDir Path folder) throws IOException {
        SimulatedDevice gpu = gpu(new AccessLog());
        String pinned = gpu.hostBufferType().orElseThrow().name();
        Batch batch = new Batch().greedy(greedy);
        try (LanguageModel model =
                        LanguageModel.open(TestModels.file("tiny-qwen2"), options(List.of(gpu)), LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(batch.add(5, 0, true));
            session.run(batch.clear().add(6, 0, true));
            List<RecordedEvent> allocated = buffersAllocated(folder, () -> {
                for (int i = 0; i < 8; i++) {
                    session.run(batch.clear().add(7, 0, true));
                }
            });
            assertThat(allocated)
                    .noneMatch(event -> event.getString("bufferType").equals(pinned));
        }
    }

    @Test
    void theFlightRecorderSeesTheBuffersOfTheCache(@TempDir Path folder) throws IOException {
        SimulatedDevice gpu = gpu(new AccessLog());
        List<Long> cache = new ArrayList<>();
        try (LanguageModel model = LanguageModel.open(
                TestModels.file("tiny-qwen2"), options(List.of(gpu, TestModels.cpu())), LoadListener.NONE)) {
            List<RecordedEvent> allocated = buffersAllocated(folder, () -> {
                try (Session session = model.newSession()) {
                    cache.add(session.cacheBytes(0));
                }
            });
            assertThat(cache.getFirst()).isPositive();
            assertThat(allocated)
                    .anyMatch(event -> event.getString("bufferType")
                                    .equals(gpu.bufferType().name())
                            && event.getLong("size") == cache.getFirst());
        }
    }

    private static List<RecordedEvent> buffersAllocated(Path folder, Runnable run) throws IOException {
        Path file = folder.resolve("buffers.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("dev.stowage.BufferAllocated").withoutThreshold();
            recording.start();
            run.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.stowage.BufferAllocated"))
                .toList();
    }
}
