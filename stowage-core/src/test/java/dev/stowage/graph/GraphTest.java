package dev.stowage.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.wiring.TensorSubstitution;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GraphTest {

    private static final Layout LAYOUT = Layout.contiguous(ElementType.F32, 4);

    private static Tensor leaf(String name) {
        return Tensor.leaf(LAYOUT).named(name);
    }

    private static Tensor node(String name, Tensor... sources) {
        return node(name, Op.CONCAT, sources);
    }

    private static Tensor node(String name, Op op, Tensor... sources) {
        return Tensor.builder(LAYOUT).op(op).sources(sources).name(name).build();
    }

    private static Tensor view(String name, Tensor source) {
        return Tensor.builder(LAYOUT)
                .op(Op.VIEW)
                .sources(source)
                .viewOf(source, 0)
                .name(name)
                .build();
    }

    private final Tensor x = leaf("x");
    private final Tensor y = leaf("y");
    private final Tensor a = node("a", x);
    private final Tensor b = node("b", a, y);
    private final Tensor c = node("c", a, b);
    private final Graph graph = Graph.of(c);

    @Nested
    class Ids {

        @Test
        void countNodesThenLeaves() {
            assertThat(graph.size()).isEqualTo(5);
            assertThat(List.of(graph.idOf(a), graph.idOf(b), graph.idOf(c))).containsExactly(0, 1, 2);
            assertThat(List.of(graph.idOf(x), graph.idOf(y))).containsExactly(3, 4);
        }

        @Test
        void leadBackToTheTensor() {
            for (int id = 0; id < graph.size(); id++) {
                assertThat(graph.idOf(graph.tensor(id))).isEqualTo(id);
            }
            assertThat(graph.node(1)).isSameAs(b);
            assertThat(graph.leaf(1)).isSameAs(y);
        }

        @Test
        void countExternalsLast() {
            Graph listed = Graph.listed(List.of(b, c), List.of(y));

            assertThat(listed.size()).isEqualTo(4);
            assertThat(listed.idOf(a)).isEqualTo(3);
            assertThat(listed.isExternal(3)).isTrue();
            assertThat(listed.contains(x)).as("read by an external only").isFalse();
        }

        @Test
        void tellWhatATensorIs() {
            assertThat(List.of(graph.isNode(2), graph.isLeaf(2), graph.isExternal(2)))
                    .containsExactly(true, false, false);
            assertThat(List.of(graph.isNode(3), graph.isLeaf(3), graph.isExternal(3)))
                    .containsExactly(false, true, false);
        }

        @Test
        void includeNoneForNoTensor() {
            assertThat(List.of(graph.isNode(Graph.NO_ID), graph.isLeaf(Graph.NO_ID), graph.isExternal(Graph.NO_ID)))
                    .containsOnly(false);
        }

        @ParameterizedTest
        @ValueSource(ints = {-1, 5, Integer.MAX_VALUE, Integer.MIN_VALUE})
        void areWithinTheSize(int id) {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> graph.tensor(id))
                    .withMessageContainingAll("tensor " + id, "5");
        }

        @Test
        void areOnlyForWhatIsInTheGraph() {
            Tensor foreign = leaf("foreign");

            assertThat(graph.contains(a)).isTrue();
            assertThat(graph.contains(foreign)).isFalse();
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> graph.idOf(foreign))
                    .withMessageContaining("'foreign'");
        }

        @ParameterizedTest
        @ValueSource(ints = {-1, 3})
        void ofNodesAreWithinTheirNumber(int index) {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> graph.node(index))
                    .withMessageContainingAll("node " + index, "3");
        }

        @ParameterizedTest
        @ValueSource(ints = {-1, 2})
        void ofLeavesAreWithinTheirNumber(int index) {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> graph.leaf(index))
                    .withMessageContainingAll("leaf " + index, "2");
        }
    }

    @Nested
    class Sources {

        private List<Integer> sources(Graph of, int id) {
            List<Integer> sources = new ArrayList<>();
            for (int slot = of.firstSlot(id); slot < of.endSlot(id); slot++) {
                sources.add(of.sourceAt(slot));
            }
            return sources;
        }

        @Test
        void areIds() {
            assertThat(sources(graph, 0)).containsExactly(3);
            assertThat(sources(graph, 1)).containsExactly(0, 4);
            assertThat(sources(graph, 2)).containsExactly(0, 1);
        }

        @Test
        void areNoneForLeavesAndExternals() {
            Graph listed = Graph.listed(List.of(c), List.of(y));

            assertThat(sources(listed, listed.idOf(y))).isEmpty();
            assertThat(sources(listed, listed.idOf(b)))
                    .as("an external has none here")
                    .isEmpty();
        }

        @Test
        void areMissingInAGap() {
            Tensor gapped = Tensor.builder(LAYOUT)
                    .op(Op.SOFT_MAX)
                    .sourceAt(0, x)
                    .sourceAt(2, y)
                    .build();

            assertThat(sources(Graph.of(gapped), 0)).containsExactly(1, Graph.NO_ID, 2);
        }

        @Test
        void ofViewsAreTheTensorsWhoseBytesTheyShare() {
            Tensor outer = view("outer", x);
            Tensor inner = view("inner", outer);
            Graph viewed = Graph.of(inner);

            assertThat(viewed.viewSource(viewed.idOf(outer))).isEqualTo(viewed.idOf(x));
            assertThat(viewed.viewSource(viewed.idOf(inner))).isEqualTo(viewed.idOf(x));
            assertThat(viewed.viewSource(viewed.idOf(x))).isEqualTo(Graph.NO_ID);
        }
    }

    @Nested
    class ViewsAsLeaves {

        private final Tensor bare =
                Tensor.builder(LAYOUT).viewOf(a, 0).name("bare").build();

        @Test
        void areViewsWithoutAnOp() {
            assertThat(Graph.of(node("reader", bare)).hasViewsAsLeaves()).isTrue();
        }

        @Test
        void mayBeReadBeforeTheNodeTheyAreViewsOf() {
            Graph listed = Graph.listed(List.of(node("reader", bare), a), List.of(x, bare));

            assertThat(listed.viewSource(listed.idOf(bare))).isEqualTo(1);
        }

        @Test
        void areViewsWithoutAnOpThatAreListedAsNodesAndRead() {
            Graph unread = Graph.listed(List.of(a, bare), List.of(x));
            Graph read = Graph.listed(List.of(a, bare, node("reader", bare)), List.of(x));

            assertThat(unread.hasViewsAsLeaves()).as("it only keeps its source").isFalse();
            assertThat(read.hasViewsAsLeaves()).isTrue();
        }

        @Test
        void areViewsReadFromOutside() {
            Graph viewed = Graph.of(node("reader", view("view", a)));

            assertThat(viewed.hasViewsAsLeaves()).isFalse();
            assertThat(viewed.slice(2, 3).hasViewsAsLeaves()).isTrue();
        }

        @Test
        void areNoViewsThatANodeMakes() {
            Graph viewed = Graph.of(node("reader", view("view", a)));

            assertThat(viewed.slice(1, 3).hasViewsAsLeaves())
                    .as("the view is made here, of a node from outside")
                    .isFalse();
        }

        @Test
        void areNoneInAGraphWithoutViews() {
            assertThat(graph.hasViewsAsLeaves()).isFalse();
            assertThat(graph.slice(1, 3).hasViewsAsLeaves()).isFalse();
        }
    }

    @Nested
    class ListingTensors {

        @Test
        void keepsTheGivenOrder() {
            Graph listed = Graph.listed(List.of(a, b, c), List.of(y, x));

            assertThat(listed.nodes()).containsExactly(a, b, c);
            assertThat(listed.leaves()).containsExactly(y, x);
        }

        @Test
        void refusesANodeTwice() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> Graph.listed(List.of(a, b, a), List.of()))
                    .withMessageContainingAll("'a'", "twice");
        }

        @Test
        void refusesALeafTwice() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> Graph.listed(List.of(a), List.of(x, x)))
                    .withMessageContainingAll("'x'", "twice");
        }

        @Test
        void refusesATensorAmongBoth() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> Graph.listed(List.of(a), List.of(x, a)))
                    .withMessageContainingAll("'a'", "twice");
        }

        @Test
        void refusesANodeBeforeOneThatItReads() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> Graph.listed(List.of(b, a), List.of(x, y)))
                    .withMessageContainingAll("'b'", "'a'", "after");
        }

        @Test
        void refusesAViewBeforeTheNodeItIsAViewOf() {
            Tensor early = Tensor.builder(LAYOUT)
                    .op(Op.CPY)
                    .sources(x)
                    .viewOf(a, 0)
                    .name("early")
                    .build();

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> Graph.listed(List.of(early, a), List.of(x)))
                    .withMessageContainingAll("'early'", "'a'", "after");
            assertThat(Graph.listed(List.of(a, early), List.of(x)).viewSource(1))
                    .isZero();
        }

        @Test
        void doesNotFollowChangesOfTheLists() {
            List<Tensor> nodes = new ArrayList<>(List.of(a));
            Graph listed = Graph.listed(nodes, List.of(x));
            nodes.add(b);

            assertThat(listed.nodes()).containsExactly(a);
        }

        @Test
        void givesListsThatCannotBeChanged() {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> graph.nodes().clear());
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> graph.leaves().clear());
        }
    }

    @Nested
    class ASlice {

        @Test
        void hasTheNodesInTheRangeAndTheLeavesTheyRead() {
            Graph slice = graph.slice(1, 3);

            assertThat(slice.nodes()).containsExactly(b, c);
            assertThat(slice.leaves()).containsExactly(y);
            assertThat(slice.isExternal(slice.idOf(a))).isTrue();
            assertThat(slice.contains(x)).isFalse();
        }

        @Test
        void ofAllNodesIsWiredLikeTheGraph() {
            assertThat(graph.slice(0, 3).isWiredLike(graph)).isTrue();
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 3})
        void mayBeEmpty(int at) {
            assertThat(graph.slice(at, at).size()).isZero();
        }

        @Test
        void ofASliceHasTheSameNodes() {
            assertThat(graph.slice(1, 3).slice(1, 2).nodes()).containsExactly(c);
        }

        @Test
        void hasLeavesInTheOrderItReadsThem() {
            Tensor reversed = node("reversed", y, x);
            Graph wide = Graph.of(a, reversed);

            assertThat(wide.leaves()).containsExactly(x, y);
            assertThat(wide.slice(1, 2).leaves()).containsExactly(y, x);
        }

        @ParameterizedTest
        @CsvSource({"-1, 2", "0, 4", "2, 1", "4, 4"})
        void mustBeWithinTheGraph(int from, int to) {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> graph.slice(from, to))
                    .withMessageContainingAll(Integer.toString(from), Integer.toString(to), "3");
        }
    }

    @Nested
    class AnotherOrder {

        private final Tensor other = node("other", y);
        private final Graph wide = Graph.of(c, other);

        @Test
        void runsTheSameNodesInThatOrder() {
            Graph reordered = wide.inOrder(3, 0, 1, 2);

            assertThat(reordered.nodes()).containsExactly(other, a, b, c);
            assertThat(reordered.leaves()).isEqualTo(wide.leaves());
            assertThat(reordered.idOf(c)).isEqualTo(3);
        }

        @Test
        void mayBeTheSame() {
            assertThat(wide.inOrder(0, 1, 2, 3).isWiredLike(wide)).isTrue();
        }

        @Test
        void mustNotRunANodeBeforeOneThatItReads() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> wide.inOrder(1, 0, 2, 3))
                    .withMessageContainingAll("'b'", "'a'");
        }

        @Test
        void mustNotRunAViewBeforeTheNodeItIsAViewOf() {
            Tensor into = Tensor.builder(LAYOUT)
                    .op(Op.CPY)
                    .sources(x)
                    .viewOf(a, 0)
                    .name("into")
                    .build();
            Graph writing = Graph.listed(List.of(a, into), List.of(x));

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> writing.inOrder(1, 0))
                    .withMessageContainingAll("'into'", "'a'");
        }

        @Test
        void mustNotLeaveOutANode() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> wide.inOrder(0, 1, 2))
                    .withMessageContainingAll("3", "4");
        }

        @Test
        void mustNotRepeatANode() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> wide.inOrder(0, 1, 1, 3))
                    .withMessageContaining("'b'");
        }

        @ParameterizedTest
        @ValueSource(ints = {-1, 4})
        void mustNotNameANodeThatIsNotThere(int index) {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> wide.inOrder(0, 1, 2, index))
                    .withMessageContaining(Integer.toString(index));
        }
    }

    @Nested
    class WithTheTensorsOfAStructurallyIdenticalGraph {

        private final Tensor newX = leaf("new x");
        private final Tensor newA = node("new a", newX);
        private final Tensor newB = node("new b", newA, y);
        private final Tensor newC = node("new c", newA, newB);

        @Test
        void hasTheSameWiringAndMarksAndTheirNames() {
            c.asOutput();
            Graph marked = Graph.of(c);
            Graph identical = TensorSubstitution.of(marked, newA, newB, newC, newX, y);

            assertThat(identical.isWiredLike(marked)).isTrue();
            assertThat(identical.isOutput(2)).isTrue();
            assertThat(identical.nodes()).containsExactly(newA, newB, newC);
            assertThat(identical.leaves()).containsExactly(newX, y);
            assertThat(identical.label(1)).isEqualTo("new b");
            assertThat(identical.idOf(newC)).isEqualTo(2);
            assertThat(identical.contains(c)).isFalse();
        }

        @Test
        void staysAsItWas() {
            TensorSubstitution.of(graph, newA, newB, newC, newX, y);

            assertThat(graph.nodes()).containsExactly(a, b, c);
            assertThat(graph.label(0)).isEqualTo("a");
        }

        @Test
        void needsOneForEach() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> TensorSubstitution.of(graph, newA, newB))
                    .withMessageContainingAll("2", "5");
        }

        @Test
        void mustHaveTheSameViews() {
            Graph viewed = Graph.of(view("seen", x));
            Tensor ofOther = view("of other", y);

            assertThat(TensorSubstitution.of(viewed, ofOther, y).viewSource(0)).isEqualTo(1);
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> TensorSubstitution.of(viewed, ofOther, newX))
                    .withMessageContainingAll("'of other'", "'seen'");
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> TensorSubstitution.of(viewed, newA, newX))
                    .withMessageContaining("'new a'");
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> TensorSubstitution.of(graph, view("view", y), newB, newC, newX, y))
                    .withMessageContaining("'view'");
        }
    }

    @Nested
    class WhatIsDoneToTensorsLater {

        @Test
        void doesNotChangeTheMarks() {
            c.asInput().asOutput().asWeight();

            assertThat(graph.isInput(2)).isFalse();
            assertThat(graph.isOutput(2)).isFalse();
            assertThat(graph.isWeight(2)).isFalse();
            assertThat(graph.outputs()).isEmpty();
        }

        @Test
        void doesNotChangeTheMarksOfTheSameGraphInAnotherOrder() {
            c.asOutput();

            assertThat(graph.inOrder(0, 1, 2).isWiredLike(graph)).isTrue();
        }

        @Test
        void doesNotChangeTheMarksOfItsSlices() {
            c.asOutput();

            assertThat(graph.slice(0, 3).isWiredLike(graph)).isTrue();
        }

        @Test
        void doesNotChangeTheLabels() {
            c.named("renamed");

            assertThat(graph.label(2)).isEqualTo("c");
            assertThat(graph.find("c")).containsSame(c);
        }
    }

    @Nested
    class Labels {

        @Test
        void areTheNames() {
            assertThat(graph.label(graph.idOf(b))).isEqualTo("b");
            assertThat(graph.label(graph.idOf(y))).isEqualTo("y");
        }

        @Test
        void ofTensorsWithoutANameAreNumbers() {
            Tensor first = node("", leaf(""));
            Tensor second = node("", first, leaf(""));
            Graph nameless = Graph.of(node("", second));
            Graph slice = nameless.slice(2, 3);

            assertThat(nameless.label(1)).isEqualTo("node_1");
            assertThat(nameless.label(4)).isEqualTo("leaf_1");
            assertThat(slice.label(slice.idOf(second))).isEqualTo("external_0");
        }

        @Test
        void leadToTheTensor() {
            assertThat(graph.find("b")).containsSame(b);
            assertThat(graph.find("y")).containsSame(y);
            assertThat(graph.find("missing")).isEmpty();
            assertThat(Graph.of(node("", x)).find("node_0")).isPresent();
        }

        @Test
        void leadToANodeBeforeALeaf() {
            Tensor identical = node("x", x);

            assertThat(Graph.of(identical).find("x")).containsSame(identical);
        }
    }

    @Nested
    class AGraphIsWiredLike {

        private Graph identical(Op op, boolean swapped) {
            Tensor first = node("first", op, leaf(""));
            Tensor second = node("second", first, leaf(""));
            return Graph.of(swapped ? node("third", second, first) : node("third", first, second));
        }

        @Test
        void itself() {
            assertThat(graph.isWiredLike(graph)).isTrue();
        }

        @Test
        void oneWithOtherNamesTypesAndShapes() {
            Tensor first = Tensor.builder(Layout.contiguous(ElementType.F16, 9))
                    .op(Op.GET_ROWS)
                    .sources(leaf("p"))
                    .build();
            Tensor second = node("", first, leaf("q"));

            assertThat(Graph.of(node("", first, second)).isWiredLike(graph)).isTrue();
            assertThat(graph.isWiredLike(identical(Op.CONCAT, false))).isTrue();
        }

        @Test
        void noneWhoseSourcesAreExchanged() {
            assertThat(graph.isWiredLike(identical(Op.CONCAT, true))).isFalse();
        }

        @Test
        void noneThatComputesInPlaceWhatItDoesNot() {
            assertThat(graph.isWiredLike(identical(Op.ADD, false))).isFalse();
        }

        @Test
        void noneWithMoreNodes() {
            assertThat(graph.isWiredLike(Graph.of(node("d", c)))).isFalse();
        }

        @Test
        void noneWithMoreLeaves() {
            assertThat(graph.isWiredLike(Graph.listed(graph.nodes(), List.of(x, y, leaf("z")))))
                    .isFalse();
        }

        @Test
        void noneWithAGapElsewhere() {
            Tensor left = Tensor.builder(LAYOUT).op(Op.CONCAT).sourceAt(1, x).build();
            Tensor right = Tensor.builder(LAYOUT).op(Op.CONCAT).sourceAt(2, x).build();

            assertThat(Graph.of(left).isWiredLike(Graph.of(right))).isFalse();
        }

        @Test
        void noneWhoseSlotsBelongToOtherNodes() {
            Tensor p = node("p", x, y);
            Tensor q = node("q", x);
            Tensor r = node("r", x);
            Tensor s = node("s", y, x);

            assertThat(Graph.listed(List.of(p, q), List.of(x, y))
                            .isWiredLike(Graph.listed(List.of(r, s), List.of(x, y))))
                    .as("the same sources in a row, divided otherwise")
                    .isFalse();
        }

        @Test
        void noneThatViewsAnotherTensor() {
            Tensor ofX =
                    Tensor.builder(LAYOUT).op(Op.CPY).sources(x, y).viewOf(x, 0).build();
            Tensor ofY =
                    Tensor.builder(LAYOUT).op(Op.CPY).sources(x, y).viewOf(y, 0).build();
            Tensor ofNone = Tensor.builder(LAYOUT).op(Op.CPY).sources(x, y).build();

            assertThat(Graph.of(ofX).isWiredLike(Graph.of(ofY))).isFalse();
            assertThat(Graph.of(ofX).isWiredLike(Graph.of(ofNone))).isFalse();
        }

        @Test
        void noneWithOtherMarks() {
            b.asOutput();

            assertThat(Graph.of(c).isWiredLike(graph)).isFalse();
        }
    }

    @Test
    void knowsItsOutputs() {
        Tensor output = node("output", c).asOutput();
        x.asOutput();

        assertThat(Graph.of(output).outputs()).containsExactly(output, x);
    }

    @Test
    void takesDownTheMarks() {
        x.asInput();
        y.asWeight();
        c.asOutput();
        Graph marked = Graph.of(c);

        assertThat(marked.isInput(marked.idOf(x))).isTrue();
        assertThat(marked.isWeight(marked.idOf(y))).isTrue();
        assertThat(marked.isOutput(marked.idOf(c))).isTrue();
        assertThat(marked.isInput(marked.idOf(y))).isFalse();
    }

    @Test
    void saysHowLargeItIs() {
        assertThat(graph).hasToString("Graph[3 nodes, 2 leaves]");
    }

    @Test
    void sliceKnowsWhichOfItsResultsAreReadAfterIt() {
        GraphBuilder builder = new GraphBuilder();
        Tensor x = builder.tensor(ElementType.F32, 4);
        Tensor first = builder.sqr(x);
        Tensor second = builder.sqrt(first);
        Tensor third = builder.add(second, first);
        Graph graph = Graph.of(third);
        Graph slice = graph.slice(0, 2);
        assertThat(slice.isReadLater(0)).isTrue();
        assertThat(slice.isReadLater(1)).isTrue();
        assertThat(graph.slice(1, 3).isReadLater(0)).isFalse();
        assertThat(graph.isReadLater(0)).isFalse();
    }
}
