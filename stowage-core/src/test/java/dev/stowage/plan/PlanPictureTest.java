package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
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
            List<Rectangle> drawn = rectangles(plan(RandomGraphs.graph(seed)));
            for (Rectangle a : drawn) {
                assertThat(drawn)
                        .as("seed %d: what overlaps '%s'", seed, a.title())
                        .filteredOn(a::overlaps)
                        .containsExactly(a);
            }
        }
    }
}
