package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.copy;
import static dev.stowage.plan.TestTensors.keeper;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class LivenessTest {

    private static void assertLives(Graph graph, Tensor tensor, int from, int to) {
        Liveness liveness = Liveness.of(graph);
        int id = graph.idOf(tensor);
        assertThat(liveness.from(id)).as("from").isEqualTo(from);
        assertThat(liveness.to(id)).as("to").isEqualTo(to);
    }

    private final Tensor x = leaf("x", 4);

    @Test
    void aLeafLivesFromTheStartToItsLastReader() {
        Tensor first = cont("first", 4, x);
        Tensor second = cont("second", 4, x, first);

        assertLives(Graph.of(cont("third", 4, second)), x, Liveness.BEFORE, 1);
    }

    @Test
    void aLeafThatNoNodeReadsLivesOnlyBeforeTheFirstNode() {
        Graph graph = Graph.listed(List.of(cont("node", 4, x)), List.of(x, leaf("unread", 4)));

        assertLives(graph, graph.leaf(1), Liveness.BEFORE, Liveness.BEFORE);
    }

    @Test
    void aNodeLivesFromItselfToItsLastReader() {
        Tensor first = cont("first", 4, x);
        Tensor second = cont("second", 4, first);
        Tensor third = add("third", 4, second, first);

        assertLives(Graph.of(cont("last", 4, third)), first, 0, 2);
    }

    @Test
    void aNodeThatNoNodeReadsLivesOnlyWhereItIsComputed() {
        Tensor unread = cont("unread", 4, x);
        Tensor other = cont("other", 4, x);

        assertLives(Graph.of(unread, other), unread, 0, 0);
    }

    @Test
    void anInputThatIsComputedLivesFromTheStart() {
        Tensor first = cont("first", 4, x);
        Tensor given = cont("given", 4, first).asInput();

        assertLives(Graph.of(cont("last", 4, given)), given, Liveness.BEFORE, 2);
    }

    @Test
    void anOutputLivesUntilAfterTheLastNode() {
        Tensor output = cont("output", 4, x).asOutput();

        assertLives(Graph.of(cont("second", 4, output)), output, 0, 2);
    }

    @Test
    void aLeafThatIsAnOutputLivesAllTheTime() {
        x.asOutput();

        assertLives(Graph.of(cont("node", 4, x)), x, Liveness.BEFORE, 1);
    }

    @Test
    void whoReadsAViewReadsItsSource() {
        Tensor view = view("view", x, 1, 2);
        Tensor between = cont("between", 4, leaf("other", 4));
        Graph graph = Graph.of(view, between, cont("reader", 4, view, between));

        assertLives(graph, x, Liveness.BEFORE, 2);
        assertThat(Liveness.of(graph).lastReachedThrough(graph.idOf(x))).isEqualTo(graph.idOf(view));
    }

    @Test
    void whoReadsAViewOfAViewReadsTheSourceOfBoth() {
        Tensor view = view("inner", view("outer", x, 1, 2), 1, 1);

        assertLives(Graph.of(cont("reader", 4, view)), x, Liveness.BEFORE, 2);
    }

    @Test
    void whoWritesAViewWritesItsSource() {
        Tensor first = cont("first", 4, leaf("other", 4));
        Tensor written = copy("written", first, x);

        assertLives(Graph.of(written), x, Liveness.BEFORE, 1);
    }

    @Test
    void aViewWithoutAnOpKeepsItsSourceUntilItRuns() {
        Tensor first = cont("first", 4, x);
        Tensor keeper = keeper("keeper", x);
        Tensor last = cont("last", 4, first);

        assertLives(Graph.listed(List.of(first, keeper, last), List.of(x)), x, Liveness.BEFORE, 1);
    }

    @Test
    void anOutputThatIsAViewKeepsItsSourceOnlyForWhomItMatters() {
        Tensor view = view("view", x, 0, 4).asOutput();
        Graph graph = Graph.of(view, cont("node", 4, leaf("other", 4)));
        Liveness liveness = Liveness.of(graph);

        assertThat(liveness.to(graph.idOf(x))).isZero();
        assertThat(liveness.keptTo(graph.idOf(x))).isEqualTo(2);
    }

    @Test
    void aTensorIsLiveAtTheNodesOfItsLifeAndNoOthers() {
        Tensor first = cont("first", 4, x);
        Tensor second = cont("second", 4, first);
        Graph graph = Graph.of(cont("third", 4, second));
        Liveness liveness = Liveness.of(graph);

        assertThat(liveness.from(1)).isEqualTo(1);
        assertThat(liveness.to(1)).isEqualTo(2);
        assertThat(liveness.to(0)).isEqualTo(1);
    }

    @Test
    void doesNotFollowMarksMadeLater() {
        Graph graph = Graph.of(cont("second", 4, cont("first", 4, x)));
        graph.node(0).asOutput();

        assertThat(Liveness.of(graph).to(0)).isEqualTo(1);
    }

    @Test
    void isWhatTheDefinitionSaysOnRandomGraphs() {
        for (long seed = 0; seed < 500; seed++) {
            Graph graph = RandomGraphs.oddGraph(seed);
            Liveness liveness = Liveness.of(graph);
            BruteForceLives lives = new BruteForceLives(graph);
            for (int id = 0; id < graph.size(); id++) {
                if (!graph.tensor(id).isView()) {
                    assertThat(liveness.from(id))
                            .as("seed %d, from of %d", seed, id)
                            .isEqualTo(lives.from(id));
                    assertThat(liveness.to(id))
                            .as("seed %d, to of %d", seed, id)
                            .isEqualTo(lives.to(id));
                    assertThat(liveness.keptTo(id))
                            .as("seed %d, kept to of %d", seed, id)
                            .isEqualTo(lives.keptTo(id));
                }
            }
        }
    }
}
