package dev.stowage.picture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.schedule.Feature;
import dev.stowage.testkit.schedule.RandomProgram;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PlanPictureTest {

    private static final Pattern RECTANGLE = Pattern.compile(
            "<rect x=\"([^\"]+)\" y=\"([^\"]+)\" width=\"([^\"]+)\" height=\"([^\"]+)\"[^>]*><title>([^<]*)</title>");

    private record Rectangle(double x, double y, double width, double height, String title) {

        /** Whether two rectangles share more than the rounding of their corners. */
        boolean overlaps(Rectangle other) {
            return shared(x, width, other.x, other.width) && shared(y, height, other.y, other.height);
        }

        private static boolean shared(double a, double aLength, double b, double bLength) {
            return Math.min(a + aLength, b + bLength) - Math.max(a, b) > 0.02;
        }
    }

    private static List<Rectangle> rectangles(MemoryPlan plan) {
        return RECTANGLE
                .matcher(PlanPicture.svg(plan))
                .results()
                .map(found -> new Rectangle(
                        Double.parseDouble(found.group(1)),
                        Double.parseDouble(found.group(2)),
                        Double.parseDouble(found.group(3)),
                        Double.parseDouble(found.group(4)),
                        found.group(5)))
                .toList();
    }

    private static Graph randomGraph(long seed) {
        return RandomProgram.of(seed, EnumSet.allOf(Feature.class), 20).graph();
    }

    private static MemoryPlan plan(Graph graph) {
        return Planner.ggml().plan(PlanRequest.of(graph, MeasuringBufferType.of("memory", 16)));
    }

    @Test
    void showsEveryPlannedTensorByNameHoweverOdd() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("<x> & y", ElementType.F32, 64);

        List<Rectangle> drawn = rectangles(plan(b.build(b.sin(x).named("z").asOutput())));

        assertThat(drawn)
                .hasSize(2)
                .anySatisfy(rectangle -> assertThat(rectangle.title()).startsWith("&lt;x&gt; &amp; y"))
                .anySatisfy(rectangle -> assertThat(rectangle.title()).startsWith("z"));
    }

    @Test
    void noTwoRectanglesOverlapSinceNoTwoTensorsDo() {
        for (long seed = 0; seed < 100; seed++) {
            List<Rectangle> drawn = rectangles(plan(randomGraph(seed)));
            for (Rectangle a : drawn) {
                assertThat(drawn)
                        .as("seed %d: what overlaps '%s'", seed, a.title())
                        .filteredOn(a::overlaps)
                        .containsExactly(a);
            }
        }
    }

    @Test
    void aRectangleSaysNameOpSizeAndLifetime() {
        GraphBuilder b = new GraphBuilder();
        Tensor y = b.sin(b.input("x", ElementType.F32, 64)).named("y");

        List<Rectangle> drawn = rectangles(plan(b.build(b.mulMat(y, y).named("z"))));

        assertThat(drawn)
                .extracting(Rectangle::title)
                .anyMatch(title -> title.startsWith("y\nSIN f32[64]\n256 B (256 bytes) at ")
                        && title.endsWith("\nnode 0 to node 1"));
    }

    @Test
    void aResultInPlaceIsStrungToItsOperand() {
        GraphBuilder b = new GraphBuilder();
        Tensor y = b.mulMat(b.input("a", ElementType.F32, 64, 64), b.input("b", ElementType.F32, 64, 64));
        MemoryPlan plan = plan(b.build(b.relu(b.relu(y))));
        assertThat(plan.inPlaceOf(1)).isZero();

        // Two links; the legend has one more.
        assertThat(Pattern.compile("<circle class=\"chain\"")
                        .matcher(PlanPicture.svg(plan))
                        .results())
                .hasSize(3);
    }

    @Test
    void aViewIsSeenInItsSourceAndNamed() {
        GraphBuilder b = new GraphBuilder();
        Tensor whole = b.sin(b.input("x", ElementType.F32, 64, 64)).named("whole");
        Tensor part = b.view2d(whole, 64, 32, whole.stride(1), 0).named("part");

        assertThat(PlanPicture.svg(plan(b.build(b.cos(part)))))
                .containsPattern("<path class=\"view\"[^>]*><title>part\nVIEW f32\\[64, 32]\nview of whole</title>");
    }

    @Test
    void planAndLowerBoundAreLinesWithTheirSizes() {
        for (long seed = 0; seed < 20; seed++) {
            MemoryPlan plan = plan(randomGraph(seed));
            String bound = plan.size() == plan.analysis().lowerBound()
                    ? " = lower bound<"
                    : ">lower bound " + PictureText.size(plan.analysis().lowerBound()) + "<";
            assertThat(PlanPicture.svg(plan))
                    .as("seed %d", seed)
                    .contains("<path class=\"plan\"", ">plan " + PictureText.size(plan.size()), bound);
        }
    }

    @Test
    void everyDeviceAndChunkHasItsPanel() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, 64, 64);
        Graph graph = b.build(b.mulMat(x, b.mulMat(x, x)));
        MeasuringBufferType gpu = MeasuringBufferType.of("gpu", 16).withMaxBufferSize(64 * 64 * 4);
        MeasuringBufferType host = MeasuringBufferType.of("host", 16);
        MemoryPlan plan =
                Planner.ggml().plan(PlanRequest.of(graph, List.of(gpu, host), new int[] {0, 1}, new int[] {0}));

        assertThat(PlanPicture.svg(plan)).contains(">gpu, chunk 0<", ">gpu, chunk 1<", ">host<");
    }

    @Test
    void whatXmlCannotHoldIsReplaced() {
        GraphBuilder b = new GraphBuilder();
        MemoryPlan plan = plan(b.build(b.sin(b.input("bell \u0007 half \uD83D", ElementType.F32, 64))));
        assertThat(PlanPicture.svg(plan)).contains("bell \uFFFD half \uFFFD").doesNotContain("\u0007", "\uD83D");
    }

    @Test
    void sizesAreInTheUnitThatSuitsThem() {
        assertThat(List.of(0L, 1023L, 1024L, 1536L, 1L << 20, 5L << 30, Long.MAX_VALUE))
                .extracting(PictureText::size)
                .containsExactly("0 B", "1023 B", "1.00 KiB", "1.50 KiB", "1.00 MiB", "5.00 GiB", "8.00 EiB");
    }
}
