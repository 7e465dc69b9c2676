package dev.stowage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The example in the README compiles, runs, and is the one that stands there. */
class ReadmeExampleTest {

    @SuppressWarnings("try") // the buffer is held, not used
    private static void example() {
        // example begins
        GraphBuilder weights = new GraphBuilder();
        Tensor up = weights.weight("up", ElementType.F16, 512, 2048);
        Tensor down = weights.weight("down", ElementType.F16, 2048, 512);

        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 512, 64);
        Tensor hidden = b.silu(b.mulMat(up, b.rmsNorm(x, 1e-5f)));
        Tensor y = b.add(x, b.mulMat(down, hidden)).named("y").asOutput();
        Graph graph = b.build(y);

        try (Buffer held = Allocations.allocateAll(weights, HostBufferType.standard());
                GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            BoundGraph bound = allocator.bind(graph); // plans, takes memory, gives every tensor its place
            MemoryPlan plan = bound.plan().orElseThrow();
            System.out.print(plan.explain()); // how much, how close to the bound, what is live at the peak and why
        }
        // example ends
    }

    @Test
    void printsWhatThePlanComesTo() {
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            example();
        } finally {
            System.setOut(console);
        }

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("Plan by 'ggml' for 5 nodes", "lower bound", "The most is live at node");
    }

    @Test
    void isTheOneInTheReadme() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/stowage/ReadmeExampleTest.java"));
        String example =
                source.substring(source.indexOf("// example begins\n") + 18, source.indexOf("// example ends"));

        assertThat(Files.readString(Path.of("../README.md")))
                .contains("```java\n" + example.stripIndent().strip());
    }
}
