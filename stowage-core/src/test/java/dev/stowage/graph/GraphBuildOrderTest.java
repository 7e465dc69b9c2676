package dev.stowage.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The order in which a graph lists what its roots depend on, compared with a recursion that is too short to be wrong. */
class GraphBuildOrderTest {

    private static final Layout LAYOUT = Layout.contiguous(ElementType.F32, 4);

    private static Tensor leaf() {
        return Tensor.leaf(LAYOUT);
    }

    private static Tensor node(Tensor... sources) {
        return Tensor.builder(LAYOUT).op(Op.CONCAT).sources(sources).build();
    }

    /** Sources from left to right, each tensor once and after its sources. */
    private static final class Recursion {

        final List<Tensor> nodes = new ArrayList<>();
        final List<Tensor> leaves = new ArrayList<>();
        private final Set<Tensor> seen = Collections.newSetFromMap(new IdentityHashMap<>());

        void visit(Tensor tensor) {
            if (seen.add(tensor)) {
                for (int slot = 0; slot < tensor.sourceCount(); slot++) {
                    if (tensor.hasSource(slot)) {
                        visit(tensor.source(slot));
                    }
                }
                (tensor.op() == Op.NONE ? leaves : nodes).add(tensor);
            }
        }
    }

    /** Tensors with up to four sources among those before them and themselves, gaps and repetitions included. */
    private static List<Tensor> tensors(Random random) {
        List<Tensor> tensors = new ArrayList<>(List.of(leaf()));
        int count = random.nextInt(80);
        for (int i = 0; i < count; i++) {
            Tensor.Builder builder = Tensor.builder(LAYOUT).op(random.nextInt(4) == 0 ? Op.NONE : Op.CONCAT);
            int slots = random.nextInt(5);
            for (int slot = 0; slot < slots; slot++) {
                if (random.nextInt(6) > 0) {
                    builder.sourceAt(slot, tensors.get(random.nextInt(tensors.size())));
                }
            }
            if (random.nextInt(10) == 0) {
                builder.sourceItself(random.nextInt(5));
            }
            tensors.add(builder.build());
        }
        return tensors;
    }

    @Test
    void isThatOfTheRecursionOnRandomGraphs() {
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            List<Tensor> tensors = tensors(random);
            List<Tensor> roots = new ArrayList<>();
            Recursion recursion = new Recursion();
            for (int i = 0; i < 1 + random.nextInt(4); i++) {
                Tensor root = tensors.get(tensors.size() - 1 - random.nextInt(Math.min(8, tensors.size())));
                roots.add(root);
                recursion.visit(root);
            }
            Graph graph = Graph.of(roots);

            assertThat(graph.nodes()).as("seed %d: nodes", seed).isEqualTo(recursion.nodes);
            assertThat(graph.leaves()).as("seed %d: leaves", seed).isEqualTo(recursion.leaves);
        }
    }

    @Test
    void goesThroughSourcesFromLeftToRight() {
        Tensor a = node(leaf());
        Tensor b = node(leaf());
        Tensor c = node(b, a);
        Graph graph = Graph.of(c);

        assertThat(graph.nodes()).containsExactly(b, a, c);
        assertThat(graph.leaves()).containsExactly(b.source(0), a.source(0));
    }

    @Test
    void goesThroughRootsOneAfterTheOther() {
        Tensor shared = node(leaf());
        Tensor first = node(shared);
        Tensor second = node(leaf(), shared);

        assertThat(Graph.of(second, first).nodes()).containsExactly(shared, second, first);
        assertThat(Graph.of(first, second).nodes()).containsExactly(shared, first, second);
    }

    @Test
    void listsWhatIsReadTwiceOnce() {
        Tensor x = leaf();
        Tensor doubled = node(x, x);
        Graph graph = Graph.of(doubled, doubled, node(doubled, doubled, x));

        assertThat(graph.nodeCount()).isEqualTo(2);
        assertThat(graph.leaves()).containsExactly(x);
    }

    @Test
    void listsARootWithoutAnOpAsALeaf() {
        Tensor x = leaf();

        assertThat(Graph.of(x).leaves()).containsExactly(x);
        assertThat(Graph.of(x).nodes()).isEmpty();
    }

    @Test
    void listsNothingForNoRoots() {
        assertThat(Graph.of().size()).isZero();
    }

    @Test
    void doesNotListWhatIsOnlyViewed() {
        Tensor x = leaf();
        Tensor view = Tensor.builder(LAYOUT).op(Op.VIEW).viewOf(x, 0).build();
        Graph graph = Graph.of(view);

        assertThat(graph.leaves()).isEmpty();
        assertThat(graph.isExternal(graph.idOf(x))).isTrue();
    }

    @Test
    void takesAChainOfAMillionNodes() {
        int count = 1_000_000;
        Tensor last = leaf();
        for (int i = 0; i < count; i++) {
            last = node(last);
        }
        Graph graph = Graph.of(last);

        assertThat(graph.nodeCount()).isEqualTo(count);
        assertThat(graph.node(count - 1)).isSameAs(last);
        assertThat(graph.sourceAt(graph.firstSlot(count - 1))).isEqualTo(count - 2);
    }

    @Test
    void takesANodeWithAMillionSources() {
        int count = 1_000_000;
        Tensor x = leaf();
        Tensor[] wide = new Tensor[count];
        for (int i = 0; i < count; i++) {
            wide[i] = node(x);
        }
        Tensor last = node(wide);
        Graph graph = Graph.of(last);

        assertThat(graph.nodeCount()).isEqualTo(count + 1);
        assertThat(graph.node(count)).isSameAs(last);
        assertThat(graph.endSlot(count) - graph.firstSlot(count)).isEqualTo(count);
        assertThat(graph.idOf(wide[count - 1])).isEqualTo(count - 1);
    }
}
