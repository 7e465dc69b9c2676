package dev.stowage.device.fusion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which nodes patterns cover, by the graph alone: no tensor here has memory. */
class FusionMatcherTest {

    private static final int WIDTH = 8;

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = row();
    private final Tensor weight = row();

    private Tensor row() {
        return b.tensor(ElementType.F32, WIDTH);
    }

    private Tensor norm(Tensor of) {
        return b.rmsNorm(of, 1e-5f);
    }

    /** A visitor that takes what is offered, unless it is to refuse a pattern, and notes what it was. */
    private static final class Noted implements FusionMatcher.Visitor<FusionPattern> {

        private final List<String> taken = new ArrayList<>();
        private final List<String> refused;
        private int next;

        Noted(String... refused) {
            this.refused = List.of(refused);
        }

        @Override
        public boolean fuse(FusionPattern pattern, int first, int count) {
            assertThat(first).isEqualTo(next);
            assertThat(count).isGreaterThan(1);
            if (refused.contains(pattern.name())) {
                return false;
            }
            taken.add(pattern.name() + " " + count);
            next += count;
            return true;
        }

        @Override
        public void single(int node) {
            assertThat(node).isEqualTo(next);
            taken.add("single");
            next++;
        }
    }

    private static List<String> matches(Graph graph, String... refused) {
        Noted noted = new Noted(refused);
        new FusionMatcher<>(FusionPatterns.all()).walk(graph, noted);
        assertThat(noted.next).isEqualTo(graph.nodeCount());
        return noted.taken;
    }

    @Test
    void aNormAndItsWeight() {
        assertThat(matches(Graph.of(b.mul(norm(x), weight)))).containsExactly("rms-norm-mul 2");
    }

    @Test
    void aNormThatIsTheWeightOfSomethingElseIsLeft() {
        assertThat(matches(Graph.of(b.mul(weight, norm(x))))).containsExactly("single", "single");
    }

    @Test
    void aNormThatIsAnOutputIsLeft() {
        assertThat(matches(Graph.of(b.mul(norm(x).asOutput(), weight)))).containsExactly("single", "single");
    }

    @Test
    void aNormThatAnotherNodeReadsIsLeft() {
        Tensor norm = norm(x);
        assertThat(matches(Graph.of(b.mul(norm, weight), b.sqr(norm)))).containsExactly("single", "single", "single");
    }

    @Test
    void aNormThatHasAViewIsLeft() {
        Tensor norm = norm(x);
        Graph graph = Graph.of(b.mul(norm, weight), b.sqr(b.reshape(norm, 2, WIDTH / 2)));
        assertThat(matches(graph)).doesNotContain("rms-norm-mul 2");
    }

    @Test
    void aNormThatIsMultipliedInPlaceIsLeft() {
        assertThat(matches(Graph.of(b.mulInplace(norm(x), weight)))).containsExactly("single", "single");
    }

    /** A node of the next slice reads it. */
    @Test
    void aNormThatIsReadLaterIsLeft() {
        Tensor norm = norm(x);
        Graph graph = Graph.of(b.mul(norm, weight), b.sqr(norm));
        assertThat(matches(graph.slice(0, 2))).containsExactly("single", "single");
    }

    @Test
    void aSumThatOthersReadTooItsNormAndTheWeight() {
        Tensor sum = b.add(x, row());
        Graph graph = Graph.of(b.mul(norm(sum), weight), b.sqr(sum));
        assertThat(matches(graph)).containsExactly("add-rms-norm 3", "single");
    }

    @Test
    void aSumAndItsNormWithoutAWeight() {
        assertThat(matches(Graph.of(norm(b.add(x, row()))))).containsExactly("add-rms-norm 2");
    }

    @Test
    void aSumAndTheNormOfSomethingElseAreLeft() {
        Tensor sum = b.add(x, row());
        assertThat(matches(Graph.of(sum, norm(x)))).containsExactly("single", "single");
    }

    private Graph stored(boolean isOutput, long... views) {
        Tensor positions = b.tensor(ElementType.I32, 3);
        Tensor keys = b.rope(b.tensor(ElementType.F32, 4, 2, 3), positions, OpParameters.Rope.of(4, RopeMode.NEOX));
        Tensor rows = keys;
        for (long d1 : views) {
            rows = b.reshape(rows, 24 / d1, d1);
        }
        if (isOutput) {
            rows.asOutput();
        }
        Tensor cache = b.tensor(ElementType.F16, rows.dim(0), 16, rows.dim(2));
        return Graph.of(b.setRows(cache, rows, b.tensor(ElementType.I64, rows.dim(1))));
    }

    @Test
    void positionsAndStoringThroughViews() {
        assertThat(matches(stored(false))).containsExactly("rope-set-rows 2");
        assertThat(matches(stored(false, 3))).containsExactly("rope-set-rows 3");
        assertThat(matches(stored(false, 6, 3))).containsExactly("rope-set-rows 4");
    }

    @Test
    void positionsWhoseViewIsAnOutputAreLeft() {
        assertThat(matches(stored(true, 3))).containsExactly("single", "single", "single");
    }

    @Test
    void whatIsRefusedIsOfferedAsTheNextPatternAndThenAsSingleNodes() {
        Graph graph = Graph.of(b.mul(norm(b.add(x, row())), weight));
        assertThat(matches(graph)).containsExactly("add-rms-norm 3");
        assertThat(matches(graph, "add-rms-norm")).containsExactly("single", "rms-norm-mul 2");
        assertThat(matches(graph, "add-rms-norm", "rms-norm-mul")).containsExactly("single", "single", "single");
    }

    @Test
    void withoutPatternsEveryNodeIsSingle() {
        Noted noted = new Noted();
        new FusionMatcher<FusionPattern>(List.of()).walk(Graph.of(b.mul(norm(x), weight)), noted);
        assertThat(noted.taken).containsExactly("single", "single");
    }

    /** What a pattern leaves out is read within it alone; judged here from the graph, by another way. */
    @Test
    void nothingOutsideReadsWhatIsLeftOut() {
        int fused = 0;
        for (int seed = 0; seed < 200; seed++) {
            Graph graph = random(new Random(seed));
            ResultUses uses = ResultUses.of(graph);
            for (int node = 0; node < graph.nodeCount(); node++) {
                int count = FusionPatterns.RMS_NORM_MUL.length(uses, node);
                if (count > 0) {
                    fused++;
                    Tensor norm = graph.node(node);
                    assertThat(graph.isOutput(node)).as("seed %d", seed).isFalse();
                    assertThat(graph.nodes().stream().filter(reader -> reads(reader, norm)))
                            .as("seed %d, node %d", seed, node)
                            .containsExactly(graph.node(node + 1));
                }
            }
        }
        assertThat(fused).isPositive();
    }

    private static boolean reads(Tensor node, Tensor operand) {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && node.source(slot).equals(operand)) {
                return true;
            }
        }
        return false;
    }

    private static Graph random(Random random) {
        GraphBuilder builder = new GraphBuilder();
        List<Tensor> made = new ArrayList<>(List.of(builder.tensor(ElementType.F32, WIDTH)));
        for (int i = 0; i < 30; i++) {
            Tensor last = made.getLast();
            Tensor any = made.get(random.nextInt(made.size()));
            made.add(
                    switch (random.nextInt(5)) {
                        case 0 -> builder.rmsNorm(last, 1e-5f);
                        case 1 -> builder.mul(last, any);
                        case 2 -> builder.mul(builder.rmsNorm(last, 1e-5f), any);
                        case 3 -> builder.reshape(any, WIDTH);
                        default -> builder.add(any, last);
                    });
            if (random.nextInt(8) == 0) {
                made.getLast().asOutput();
            }
        }
        return Graph.of(made);
    }
}
