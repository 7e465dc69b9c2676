package dev.stowage.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GraphTextTest {

    private static final Layout LAYOUT = Layout.contiguous(ElementType.F32, 4, 2);

    private final Tensor weight = Tensor.leaf(LAYOUT).named("weight").asWeight();
    private final Tensor input = Tensor.leaf(LAYOUT).named("input").asInput();
    private final Tensor product = Tensor.builder(LAYOUT)
            .op(Op.MUL_MAT)
            .sources(weight, input)
            .name("product")
            .build();
    private final Tensor window = Tensor.builder(Layout.contiguous(ElementType.F32, 2))
            .op(Op.VIEW)
            .sources(product)
            .viewOf(product, 8)
            .name("window")
            .build();
    private final Tensor result = Tensor.builder(LAYOUT)
            .op(Op.SOFT_MAX)
            .sourceAt(0, window)
            .sourceAt(2, input)
            .name("result")
            .build()
            .asOutput();
    private final Graph graph = Graph.of(result);

    @Nested
    class TheDump {

        private String lineOf(Tensor tensor) {
            return graph.dump()
                    .lines()
                    .filter(line -> line.strip().startsWith(graph.idOf(tensor) + "  "))
                    .findFirst()
                    .orElseThrow();
        }

        @Test
        void hasALineForEveryTensorAndOneForEachList() {
            assertThat(graph.dump().lines()).hasSize(graph.size() + 2);
        }

        @Test
        void countsNodesAndLeaves() {
            assertThat(graph.dump()).contains("3 nodes", "2 leaves");
        }

        @Test
        void saysWhatATensorIsAndReads() {
            assertThat(lineOf(product)).contains("product", "MUL_MAT", "f32[4, 2]", "<- weight, input");
        }

        @Test
        void showsGaps() {
            assertThat(lineOf(result)).contains("<- window, -, input");
        }

        @Test
        void showsMarks() {
            assertThat(lineOf(result)).contains("[output]");
            assertThat(lineOf(input)).contains("[input]");
            assertThat(lineOf(weight)).contains("[weight]");
        }

        @Test
        void showsWhatAViewIsAViewOf() {
            assertThat(lineOf(window)).contains("(view of product + 8)");
        }

        @Test
        void showsExternals() {
            String sliced = graph.slice(2, 3).dump();

            assertThat(sliced).contains("1 nodes", "1 leaves", "externals", "window", "product");
        }

        @ParameterizedTest
        @ValueSource(strings = {"two\nlines", "two\r\nlines", "two\rlines", "two\u2028lines", "two\u0085lines"})
        void keepsANameWithLineBreaksOnOneLine(String name) {
            product.named(name);
            String dump = Graph.of(result).dump();

            assertThat(Pattern.compile("\\R").split(dump)).hasSize(graph.size() + 2);
            assertThat(dump)
                    .contains("two lines  <- weight, input")
                    .contains("window  <- two lines  (view of two lines + 8)");
        }

        @Test
        void isNothingForNothing() {
            assertThat(Graph.of().dump()).contains("0 nodes");
        }
    }

    @Nested
    class TheDrawing {

        private static final Pattern BOX = Pattern.compile("\\s+t(\\d+) \\[label=\"((?:[^\"\\\\]|\\\\.)*)\"[^\"]*];");

        private String labelIn(String dot, int id) {
            return BOX.matcher(dot)
                    .results()
                    .filter(box -> Integer.parseInt(box.group(1)) == id)
                    .map(box -> unquoted(box.group(2)))
                    .findFirst()
                    .orElseThrow();
        }

        private String unquoted(String text) {
            return Pattern.compile("\\\\(.)")
                    .matcher(text)
                    .replaceAll(
                            escape -> Matcher.quoteReplacement(escape.group(1).equals("n") ? "\n" : escape.group(1)));
        }

        @Test
        void hasABoxForEveryTensor() {
            String dot = graph.toDot();

            assertThat(BOX.matcher(dot).results()).hasSize(graph.size());
            assertThat(labelIn(dot, 0)).isEqualTo("product\nMUL_MAT f32[4, 2]");
            assertThat(labelIn(dot, graph.idOf(input))).isEqualTo("input\nf32[4, 2]");
        }

        @Test
        void hasAnArrowForEverySource() {
            List<String> arrows = graph.toDot()
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.matches("t\\d+ -> t\\d+;"))
                    .toList();

            assertThat(arrows)
                    .containsExactlyInAnyOrder("t3 -> t0;", "t4 -> t0;", "t0 -> t1;", "t1 -> t2;", "t4 -> t2;");
        }

        @Test
        void showsWhatAViewIsAViewOf() {
            assertThat(graph.toDot()).contains("t0 -> t1 [style=dotted, arrowhead=none];");
        }

        @Test
        void isOneDigraph() {
            assertThat(graph.toDot()).startsWith("digraph ").endsWith("}\n");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "with \"quotes\"",
                    "ends in a backslash\\",
                    "\\\"",
                    "\\n is not a line break",
                    "two\nlines",
                    "]; t0 -> t0; [",
                    "<b>html</b>",
                    "{a|b}",
                    "ünïcödé"
                })
        void survivesAnyName(String name) {
            product.named(name);
            String dot = Graph.of(product).toDot();

            assertThat(BOX.matcher(dot).results()).hasSize(3);
            assertThat(labelIn(dot, 0)).isEqualTo(name + "\nMUL_MAT f32[4, 2]");
        }
    }
}
