package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Examples in the documentation of classes are code that compiles and runs: either they are taken from a test, by class and
 * region, or they are written out and the same code is in {@link JavadocSnippets}. White space is not compared.
 */
class JavadocSnippetTest {

    private static final Path ROOT = Path.of("..");
    private static final Path SNIPPETS = Path.of("src/test/java/dev/stowage/docs/JavadocSnippets.java");
    /** Those of packages that other modules do not see. */
    private static final List<Path> HIDDEN_SNIPPETS = List.of(
            ROOT.resolve("stowage-cuda/src/test/java/dev/stowage/cuda/JavadocSnippets.java"),
            ROOT.resolve("stowage-cpu/src/test/java/dev/stowage/cpu/machine/AssemblerTest.java"));

    private static final String WRITTEN_OUT = "{@snippet :";

    private final Device cpu = DeviceRegistry.load().device("cpu");
    private final Device gpu = SimulatedDevice.named("gpu0").build();
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 3);
    private final Tensor y = b.add(x, x).named("y").asOutput();
    private final Graph graph = b.build(y);

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().matches("\\.\\./stowage-[a-z]+/src/main/java/.*\\.java"))
                    .toList();
        }
    }

    /** The examples that a source has written out, without the stars of the comment. */
    private static List<String> writtenOut(Path source) {
        String text = read(source);
        List<String> examples = new ArrayList<>();
        for (int at = text.indexOf(WRITTEN_OUT); at >= 0; at = text.indexOf(WRITTEN_OUT, at + 1)) {
            int depth = 1;
            int end = at + 1;
            while (depth > 0) {
                depth += text.charAt(end) == '{' ? 1 : text.charAt(end) == '}' ? -1 : 0;
                end++;
            }
            examples.add(text.substring(at + WRITTEN_OUT.length(), end - 1).replaceAll("(?m)^ *\\* ?", ""));
        }
        return examples;
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyExampleThatIsWrittenOutIsCompiled() throws IOException {
        String code = withoutSpace(Stream.concat(Stream.of(SNIPPETS), HIDDEN_SNIPPETS.stream())
                .map(JavadocSnippetTest::read)
                .collect(Collectors.joining("\n")));
        List<Path> sources = sources();

        assertThat(sources).hasSizeGreaterThan(500);
        assertThat(sources)
                .allSatisfy(source -> assertThat(writtenOut(source))
                        .allSatisfy(example ->
                                assertThat(code).as(source + ": " + example).contains(withoutSpace(example))));
    }

    @Test
    void graphsAreBuilt() {
        assertThat(JavadocSnippets.graphBuilder().nodeCount()).isEqualTo(2);
    }

    @Test
    void tensorsAreStoredAndCopied() {
        Tensor elsewhere = Tensor.leaf(Layout.contiguous(ElementType.F32, 2, 3));
        try (Buffer buffer = Allocations.allocateAll(List.of(elsewhere), HostBufferType.standard())) {
            JavadocSnippets.memory(elsewhere);
            assertThat(buffer.isClosed()).isFalse();
            assertThat(TensorData.getFloats(elsewhere)).containsExactly(1, 2, 3, 4, 5, 6);
        }
    }

    @Test
    void graphsArePlannedAndRun() {
        JavadocSnippets.graphAllocator(graph, graph);
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());
                Backend backend = cpu.open();
                Arena arena = Arena.ofShared()) {
            MemorySegment input = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 4, 5, 6);
            MemorySegment output = arena.allocate(y.byteSize(), Float.BYTES);

            assertThat(JavadocSnippets.reordering(graph, HostBufferType.standard(), allocator))
                    .isZero();
            assertThat(JavadocSnippets.boundGraph(allocator, graph, x, y, backend))
                    .containsExactly(2, 4, 6);
            JavadocSnippets.backend(allocator, graph, cpu, x, y, input, output);
            assertThat(output.toArray(ValueLayout.JAVA_FLOAT)).containsExactly(8, 10, 12);
        }
    }

    @Test
    void graphsAreScheduledAndRun() {
        assertThat(Printed.by(() -> JavadocSnippets.schedule(graph, gpu, cpu))).contains("gpu0");
        try (Backend first = gpu.open();
                Backend second = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(first, second), JavadocSnippets.costModel())) {
            JavadocSnippets.scheduler(first, second, graph, graph);
            assertThat(JavadocSnippets.boundSchedule(scheduler, graph, x, y)).containsExactly(2, 4, 6);
        }
    }

    @Test
    void runsAreProfiled() {
        assertThat(Printed.by(() -> JavadocSnippets.profile(cpu, graph))).contains("ADD");
    }

    @Test
    void numbersAreWrittenAndQuantised() {
        float[] weights = new float[256];
        weights[7] = 1;
        try (Arena arena = Arena.ofConfined()) {
            JavadocSnippets.blockFormat(arena, weights);
        }

        assertThat(weights[7]).isBetween(0.9f, 1.1f);
        assertThat(JavadocSnippets.json()).isEqualTo("{\"bytes\":4096}");
    }

    @Test
    void devicesAreSimulated() {
        SimulatedDevice device = JavadocSnippets.simulatedDevice();
        JavadocSnippets.faults(device, Thread.currentThread());
        device.faults().clear();

        assertThatCode(JavadocSnippets::accessLog).doesNotThrowAnyException();
        try (Backend backend = device.open();
                GraphAllocator allocator = GraphAllocator.on(device.bufferType())) {
            assertThat(JavadocSnippets.clock(device.clock(), backend, allocator.bind(graph)))
                    .isNotNegative();
        }
    }
}
