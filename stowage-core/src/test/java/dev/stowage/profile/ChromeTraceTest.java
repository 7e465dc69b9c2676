package dev.stowage.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that a trace viewer opens. */
class ChromeTraceTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 32, 4);
    private final Tensor normed = b.rmsNorm(x, 1e-5f).named("normed");
    private final Tensor weight = b.weight("weight", ElementType.F32, 32);
    private final Tensor weighed = b.mul(normed, weight).named("weighed");
    private final Tensor gated = b.silu(weighed).named("gated");
    private final Graph graph = b.build(gated);
    private final Backend cpu = QuietDevice.open("cpu");
    private final Backend gpu = QuietDevice.open("gpu");

    @TempDir
    private Path folder;

    private JsonCursor written(ChromeTrace trace) throws IOException {
        Path file = folder.resolve("trace.json");
        trace.write(file);
        return JsonReader.parse(Files.readString(file)).cursor();
    }

    private List<JsonCursor> events(ChromeTrace trace, String phase) throws IOException {
        List<JsonCursor> events = new ArrayList<>();
        for (JsonCursor event : written(trace).get("traceEvents").elements()) {
            if (event.get("ph").asString().equals(phase)) {
                events.add(event);
            }
        }
        return events;
    }

    private static List<String> strings(JsonCursor list) {
        List<String> strings = new ArrayList<>();
        list.elements().forEach(element -> strings.add(element.asString()));
        return strings;
    }

    private static String trackOf(JsonCursor event) {
        return event.get("pid").asLong() + "." + event.get("tid").asLong();
    }

    @Test
    void nodesSayWhatTheyReadAndMake() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(normed, weighed), 0, 10);

        JsonCursor event = events(trace, "X").getFirst();
        assertThat(event.get("name").asString()).isEqualTo("RMS_NORM+MUL");
        assertThat(event.get("cat").asString()).isEqualTo("node");
        JsonCursor args = event.get("args");
        assertThat(strings(args.get("results"))).containsExactly("normed f32[32, 4]", "weighed f32[32, 4]");
        assertThat(strings(args.get("operands"))).containsExactly("x f32[32, 4]", "weight f32[32]");
        assertThat(args.get("bytes").asLong())
                .isEqualTo(normed.byteSize() + weighed.byteSize() + x.byteSize() + weight.byteSize());
    }

    @Test
    void splitsSayWhereTheyBeginAndEnd() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.ranSplit(gpu, 3, graph, 0, 10);

        JsonCursor event = events(trace, "X").getFirst();
        assertThat(event.get("name").asString()).isEqualTo("split 3 on gpu");
        assertThat(event.get("args").get("nodes").asLong()).isEqualTo(3);
        assertThat(event.get("args").get("first").asString()).isEqualTo("normed");
        assertThat(event.get("args").get("last").asString()).isEqualTo("gated");
    }

    @Test
    void copiesSayWhatGoesWhere() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.copied(cpu, gpu, 3, x, 512, 0, 10);

        JsonCursor event = events(trace, "X").getFirst();
        assertThat(event.get("name").asString()).isEqualTo("x from cpu to gpu");
        assertThat(event.get("args").get("layout").asString()).isEqualTo("f32[32, 4]");
        assertThat(event.get("args").get("split").asLong()).isEqualTo(3);
        assertThat(event.get("args").get("bytes").asLong()).isEqualTo(512);
    }

    @Test
    void timesAreMicrosecondsSinceTheFirstBegin() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(gated), -500, 1_000);
        trace.ranSplit(cpu, 0, graph, -1_750, 2_000);

        List<JsonCursor> events = events(trace, "X");
        assertThat(events).extracting(event -> event.get("ts").asDouble()).containsExactly(1.25, 0.0);
        assertThat(events).extracting(event -> event.get("dur").asDouble()).containsExactly(1.5, 3.75);
    }

    @Test
    void aClockThatPassesItsLargestNumberDoesNoHarm() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(gated), Long.MIN_VALUE + 1_000, Long.MIN_VALUE + 2_000);
        trace.ranSplit(cpu, 0, graph, Long.MAX_VALUE - 999, Long.MIN_VALUE + 3_000);

        List<JsonCursor> events = events(trace, "X");
        assertThat(events).extracting(event -> event.get("ts").asDouble()).containsExactly(2.0, 0.0);
        assertThat(events).extracting(event -> event.get("dur").asDouble()).containsExactly(1.0, 4.0);
    }

    /** Some viewers read numbers with an exponent wrong. */
    @Test
    void longTimesAreWrittenDigitByDigit() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(gated), 0, 1);
        trace.computed(cpu, List.of(gated), 98_765_432_123_456_789L, 98_765_432_123_456_790L);
        written(trace);

        assertThat(Files.readString(folder.resolve("trace.json"))).contains("\"ts\":98765432123456.789,\"dur\":0.001");
    }

    @Test
    void everyBackendHasATrackWithTheNameOfItsDevice() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(gpu, List.of(normed), 0, 10);
        trace.computed(cpu, List.of(weighed), 10, 20);
        trace.computed(gpu, List.of(gated), 20, 30);

        List<JsonCursor> spans = events(trace, "X");
        assertThat(trackOf(spans.get(2))).isEqualTo(trackOf(spans.get(0)));
        assertThat(trackOf(spans.get(1))).isNotEqualTo(trackOf(spans.get(0)));
        assertThat(events(trace, "M"))
                .filteredOn(event -> event.get("name").asString().equals("thread_name"))
                .extracting(event ->
                        trackOf(event) + " " + event.get("args").get("name").asString())
                .containsExactly(trackOf(spans.get(0)) + " gpu", trackOf(spans.get(1)) + " cpu");
    }

    @Test
    void splitsAndCopiesHaveTracksApartFromTheDevices() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(normed), 0, 10);
        trace.copied(gpu, cpu, 0, x, 512, 0, 2);
        trace.ranSplit(cpu, 0, graph, 0, 10);

        assertThat(events(trace, "X")).extracting(ChromeTraceTest::trackOf).doesNotHaveDuplicates();
        assertThat(events(trace, "M"))
                .extracting(event -> event.get("args").get("name").asString())
                .containsExactly("devices", "cpu", "schedule", "copies", "splits");
    }

    @Test
    void spansBeyondTheRoomAreCounted() throws IOException {
        ChromeTrace trace = new ChromeTrace(2);
        for (int i = 0; i < 5; i++) {
            trace.computed(cpu, List.of(gated), i, i + 1);
        }

        assertThat(trace.size()).isEqualTo(2);
        assertThat(trace.dropped()).isEqualTo(3);
        assertThat(events(trace, "X")).hasSize(2);
        assertThat(written(trace).get("otherData").get("dropped_spans").asLong())
                .isEqualTo(3);
    }

    @Test
    void refusesRoomForLessThanNone() {
        assertThatThrownBy(() -> new ChromeTrace(-1))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("-1");
    }

    @Test
    void anEmptyTraceIsAFileToo() throws IOException {
        assertThat(events(new ChromeTrace(), "X")).isEmpty();
    }

    @Test
    void replacesWhatIsThereAndLeavesNothingElse() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(gated), 0, 1);
        Path file = Files.writeString(folder.resolve("trace.json"), "an older one");
        trace.write(file);

        assertThat(JsonReader.parse(Files.readString(file))).isNotNull();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void leavesWhatIsThereIfItCannotBeWritten() throws IOException {
        ChromeTrace trace = new ChromeTrace();
        trace.computed(cpu, List.of(b.silu(x).named("\ud800")), 0, 1);
        Path file = Files.writeString(folder.resolve("trace.json"), "an older one");

        assertThatThrownBy(() -> trace.write(file)).hasMessageContaining("U+D800");
        assertThat(file).hasContent("an older one");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void saysWhichFileCannotBeWrittenAndWhy() {
        Path nowhere = folder.resolve("nowhere").resolve("trace.json");

        assertThatThrownBy(() -> new ChromeTrace().write(nowhere))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("trace", nowhere.toString(), "no such directory");
        assertThatThrownBy(() -> new ChromeTrace().write(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(folder.toString(), "is a directory");
    }
}
