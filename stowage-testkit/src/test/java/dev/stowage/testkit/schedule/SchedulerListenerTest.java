package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.DeviceType;
import dev.stowage.device.RunListener;
import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.memory.TensorData;
import dev.stowage.profile.ChromeTrace;
import dev.stowage.profile.OpTime;
import dev.stowage.profile.RunProfile;
import dev.stowage.profile.SplitTime;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a listener hears of a run over several devices, and what profiles and traces make of it. */
class SchedulerListenerTest {

    private static final long TENSOR_BYTES = (long) Chain.WIDTH * Float.BYTES;

    /** Records the notifications, without times, which must not end before they begin. */
    private static final class Notes implements RunListener {

        private final List<String> nodes = new CopyOnWriteArrayList<>();
        private final List<String> schedule = new CopyOnWriteArrayList<>();
        private final List<Long> durations = new CopyOnWriteArrayList<>();

        @Override
        public void computed(Backend backend, List<Tensor> computed, long startNanos, long endNanos) {
            durations.add(endNanos - startNanos);
            computed.forEach(node -> nodes.add(backend.name() + " " + node.name()));
        }

        @Override
        public void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
            durations.add(endNanos - startNanos);
            schedule.add("split " + split + " of " + graph.nodeCount() + " on " + backend.name());
        }

        @Override
        public void copied(
                Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {
            durations.add(endNanos - startNanos);
            schedule.add(
                    tensor.name() + " of " + bytes + " from " + from.name() + " to " + to.name() + " for " + split);
        }
    }

    private final Notes notes = new Notes();
    private final RunProfile profile = new RunProfile();
    private final ChromeTrace trace = new ChromeTrace();
    private final RunListener listener = notes.and(profile).and(trace);
    private final BackendOptions options = BackendOptions.defaults().withListener(listener);
    private final Backend gpu = SimulatedDevice.named("gpu").build().open(options);
    private final Backend gpu2 = SimulatedDevice.named("gpu2").build().open(options);
    private final Backend cpu = SimulatedDevice.named("cpu")
            .type(DeviceType.CPU)
            .hostMemory()
            .async(false)
            .build()
            .open(options);
    private final Chain chain = Chain.of(gpu, gpu2);
    private final Scheduler scheduler = Scheduler.over(List.of(gpu, gpu2, cpu));
    private final BoundSchedule bound = scheduler.bind(chain.graph());

    @TempDir
    private Path folder;

    @BeforeEach
    void listen() {
        scheduler.listen(listener);
        chain.writeWeights();
    }

    @AfterEach
    void closeAll() {
        scheduler.close();
        gpu.close();
        gpu2.close();
        cpu.close();
        chain.close();
    }

    private void run() {
        TensorData.setFloats(bound.tensor(chain.x()), 1, 2, 3, 4);
        bound.run();
    }

    @Test
    void everyNodeIsReportedOnceAndInOrder() {
        run();
        assertThat(notes.nodes).containsExactly("gpu product0", "gpu silu0", "gpu2 product1", "gpu2 silu1");
    }

    @Test
    void everySplitIsReportedAfterItsCopies() {
        run();
        String first = "x of " + TENSOR_BYTES + " from cpu to gpu for 0";
        String second = "silu0 of " + TENSOR_BYTES + " from gpu to gpu2 for 1";
        assertThat(notes.schedule)
                .hasSize(4)
                .containsSubsequence(first, "split 0 of 2 on gpu", "split 1 of 2 on gpu2")
                .containsSubsequence(first, second, "split 1 of 2 on gpu2");
    }

    @Test
    void nothingEndsBeforeItBegins() {
        run();
        assertThat(notes.durations).hasSize(8).allMatch(nanos -> nanos >= 0);
    }

    @Test
    void noSplitIsReportedWithoutAListener() {
        scheduler.stopListening();
        run();
        assertThat(notes.schedule).isEmpty();
        assertThat(notes.nodes).hasSize(4);
    }

    @Test
    void aProfileSumsUpAllRuns() {
        run();
        run();
        run();
        assertThat(profile.ops())
                .extracting(row -> row.device() + " " + row.op() + " " + row.calls())
                .containsExactlyInAnyOrder("gpu MUL_MAT f32 3", "gpu SILU 3", "gpu2 MUL_MAT f32 3", "gpu2 SILU 3");
        assertThat(profile.splits())
                .extracting(SplitTime::device, SplitTime::split, SplitTime::runs, SplitTime::nodes, SplitTime::copies)
                .containsExactlyInAnyOrder(tuple("gpu", 0, 3L, 6L, 3L), tuple("gpu2", 1, 3L, 6L, 3L));
        assertThat(profile.splits()).extracting(SplitTime::copiedBytes).containsOnly(3 * TENSOR_BYTES);
        assertThat(profile.ops().stream().mapToDouble(OpTime::share).sum()).isCloseTo(1, within(1e-9));
    }

    /** The spans of a file by their tracks, each from when to when in nanoseconds. */
    private Map<String, List<long[]>> tracks() throws IOException {
        Path file = folder.resolve("trace.json");
        trace.write(file);
        Map<String, List<long[]>> tracks = new TreeMap<>();
        for (JsonCursor event : JsonReader.parse(Files.readString(file))
                .cursor()
                .get("traceEvents")
                .elements()) {
            if (event.get("ph").asString().equals("X")) {
                long start = nanos(event.get("ts"));
                tracks.computeIfAbsent(
                                event.get("pid").asLong() + "."
                                        + event.get("tid").asLong(),
                                _ -> new ArrayList<>())
                        .add(new long[] {start, start + nanos(event.get("dur"))});
            }
        }
        return tracks;
    }

    private static long nanos(JsonCursor micros) {
        return BigDecimal.valueOf(micros.asDouble()).movePointRight(3).longValueExact();
    }

    @Test
    void theSpansOfATrackDoNotOverlap() throws IOException {
        run();
        run();
        Map<String, List<long[]>> tracks = tracks();
        assertThat(tracks).hasSize(4);
        assertThat(tracks.values().stream().mapToInt(List::size).sum()).isEqualTo(16);
        tracks.forEach((track, spans) -> {
            spans.sort(Comparator.comparingLong(span -> span[0]));
            for (int i = 1; i < spans.size(); i++) {
                assertThat(spans.get(i)[0])
                        .as("track %s, span %d", track, i)
                        .isGreaterThanOrEqualTo(spans.get(i - 1)[1]);
            }
        });
    }
}
