package dev.stowage.graph.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class GraphAssemblyTest {

    private static final Layout LAYOUT = Layout.contiguous(ElementType.F32, 4);

    private static Tensor leaf(String name) {
        return Tensor.leaf(LAYOUT).named(name);
    }

    private static Tensor node(String name, Op op, Tensor... sources) {
        return Tensor.builder(LAYOUT).op(op).sources(sources).name(name).build();
    }

    private static Tensor view(String name, Op op, Tensor source) {
        return Tensor.builder(LAYOUT)
                .op(op)
                .sources(source)
                .viewOf(source, 0)
                .name(name)
                .build();
    }

    private static List<String> sources(Graph graph, Tensor of) {
        int id = graph.idOf(of);
        List<String> names = new ArrayList<>();
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            names.add(graph.sourceAt(slot) == Graph.NO_ID ? "-" : graph.label(graph.sourceAt(slot)));
        }
        return names;
    }

    private final Tensor x = leaf("x");
    private final Tensor y = leaf("y");
    private final Tensor a = node("a", Op.CONCAT, x);
    private final Tensor b = node("b", Op.ADD, a, y);
    private final Tensor c = node("c", Op.CONCAT, a, b);
    private final Graph base = Graph.of(c);
    private final Tensor copy = leaf("copy");

    private final GraphAssembly assembly = GraphAssembly.over(base);

    private void listAll() {
        for (int id = 0; id < base.nodeCount(); id++) {
            assembly.addNode(id);
        }
        for (int id = base.nodeCount(); id < base.size(); id++) {
            assembly.addLeaf(id);
        }
    }

    /** The base with b reading a copy of a, which is listed first. */
    private Graph rewired() {
        int number = assembly.add(copy);
        assembly.wire(base.firstSlot(base.idOf(b)), number);
        assembly.addNode(number);
        listAll();
        return assembly.build();
    }

    @Test
    void ofEverythingIsWiredLikeTheBase() {
        listAll();
        Graph same = assembly.build();

        assertThat(same.isWiredLike(base)).isTrue();
        assertThat(same.nodes()).isEqualTo(base.nodes());
        assertThat(same.leaves()).isEqualTo(base.leaves());
    }

    @Nested
    class ANodeThatIsWiredAnew {

        @Test
        void readsTheOtherTensor() {
            Graph rewired = rewired();

            assertThat(rewired.nodes()).containsExactly(copy, a, b, c);
            assertThat(sources(rewired, b)).containsExactly("copy", "y");
        }

        @Test
        void leavesOtherReadersAsTheyWere() {
            assertThat(sources(rewired(), c)).containsExactly("a", "b");
        }

        @Test
        void leavesTheBaseAndTheTensorAsTheyWere() {
            String before = base.dump();
            rewired();

            assertThat(base.dump()).isEqualTo(before);
            assertThat(b.source(0)).isSameAs(a);
        }

        @Test
        void keepsItsEmptySlots() {
            Tensor gapped = Tensor.builder(LAYOUT)
                    .op(Op.SOFT_MAX)
                    .sourceAt(0, x)
                    .sourceAt(2, y)
                    .name("gapped")
                    .build();
            Graph gaps = Graph.of(gapped);
            GraphAssembly over = GraphAssembly.over(gaps);
            int number = over.add(copy);
            over.wire(gaps.firstSlot(0) + 2, number);
            over.addNode(0);

            assertThat(sources(over.build(), gapped)).containsExactly("x", "-", "copy");
        }
    }

    @Nested
    class WhatIsNotListed {

        @Test
        void isExternalIfItIsRead() {
            assembly.addNode(base.idOf(b));
            Graph made = assembly.build();

            assertThat(made.isExternal(made.idOf(a))).isTrue();
            assertThat(made.isExternal(made.idOf(y))).isTrue();
            assertThat(made.size()).isEqualTo(3);
        }

        @Test
        void isExternalIfItIsViewed() {
            Tensor seen = view("seen", Op.VIEW, a);
            Tensor reader = node("reader", Op.CONCAT, seen);
            Graph viewing = Graph.of(reader);
            GraphAssembly over = GraphAssembly.over(viewing);
            over.addNode(viewing.idOf(reader));
            Graph made = over.build();

            assertThat(made.isExternal(made.idOf(seen))).isTrue();
            assertThat(made.viewSource(made.idOf(seen))).isEqualTo(made.idOf(a));
            assertThat(made.isExternal(made.idOf(a))).isTrue();
        }

        @Test
        void isNotInTheGraphIfNoNodeNeedsIt() {
            assembly.add(copy);
            assembly.addNode(base.idOf(a));
            Graph made = assembly.build();

            assertThat(made.contains(copy)).isFalse();
            assertThat(made.contains(b)).isFalse();
        }
    }

    @Nested
    class AViewThatIsAdded {

        private Tensor keeper(Tensor of) {
            return Tensor.builder(LAYOUT)
                    .viewOf(of, 0)
                    .sources(of)
                    .name("keeper")
                    .build();
        }

        @Test
        void readsItsSourceAndSharesItsBytes() {
            Tensor keeper = keeper(a);
            int number = assembly.addView(keeper, base.idOf(a));
            assembly.addNode(base.idOf(a));
            assembly.addNode(number);
            Graph made = assembly.build();

            assertThat(sources(made, keeper)).containsExactly("a");
            assertThat(made.viewSource(made.idOf(keeper))).isEqualTo(made.idOf(a));
            assertThat(made.isComputed(made.idOf(keeper))).isFalse();
        }

        @Test
        void ofAViewSharesTheBytesOfItsSource() {
            Tensor seen = view("seen", Op.VIEW, a);
            Graph viewing = Graph.of(seen);
            GraphAssembly over = GraphAssembly.over(viewing);
            Tensor keeper = keeper(seen);
            int number = over.addView(keeper, viewing.idOf(seen));
            for (int id = 0; id < viewing.nodeCount(); id++) {
                over.addNode(id);
            }
            over.addNode(number);
            Graph made = over.build();

            assertThat(sources(made, keeper)).containsExactly("seen");
            assertThat(made.viewSource(made.idOf(keeper))).isEqualTo(made.idOf(a));
        }

        @Test
        void mayBeOneOfATensorThatIsAddedToo() {
            int number = assembly.add(copy);
            Tensor keeper = keeper(copy);
            int view = assembly.addView(keeper, number);
            Tensor second = keeper(keeper);
            int again = assembly.addView(second, view);
            assembly.addNode(number);
            assembly.addNode(view);
            assembly.addNode(again);
            Graph made = assembly.build();

            assertThat(made.viewSource(1)).isZero();
            assertThat(made.viewSource(2)).isZero();
            assertThat(made.sourceAt(made.firstSlot(2))).isEqualTo(1);
        }
    }

    @Nested
    class Marks {

        @Test
        void areThoseOfTheBase() {
            Tensor output = node("output", Op.ADD, x.asInput(), y.asWeight()).asOutput();
            Graph marked = Graph.of(output);
            x.asOutput();
            GraphAssembly over = GraphAssembly.over(marked);
            over.addNode(0);
            over.addLeaf(1);
            over.addLeaf(2);
            Graph made = over.build();

            assertThat(made.isOutput(0)).isTrue();
            assertThat(made.canWorkInPlace(0)).isTrue();
            assertThat(made.isInput(1)).isTrue();
            assertThat(made.isOutput(1)).as("marked after the base was made").isFalse();
            assertThat(made.isWeight(2)).isTrue();
        }

        @Test
        void areThoseOfWhatIsAdded() {
            assembly.addLeaf(assembly.add(copy.asInput().asOutput()));
            Graph made = assembly.build();

            assertThat(made.isInput(0)).isTrue();
            assertThat(made.isOutput(0)).isTrue();
        }

        @Test
        void canBeSetForTheNewGraphOnly() {
            assembly.markInput(base.idOf(x));
            assembly.markOutput(base.idOf(y));
            listAll();
            Graph made = assembly.build();

            assertThat(made.isInput(made.idOf(x))).isTrue();
            assertThat(made.isOutput(made.idOf(x))).isFalse();
            assertThat(made.isOutput(made.idOf(y))).isTrue();
            assertThat(made.isInput(made.idOf(y))).isFalse();
            assertThat(base.isInput(base.idOf(x))).isFalse();
            assertThat(x.isInput()).isFalse();
            assertThat(y.isOutput()).isFalse();
        }

        @Test
        void canKeepAResultFromTakingThePlaceOfAnOperand() {
            assembly.forbidInPlace(base.idOf(b));
            listAll();
            Graph made = assembly.build();

            assertThat(made.canWorkInPlace(made.idOf(b))).isFalse();
            assertThat(made.isComputed(made.idOf(b))).isTrue();
            assertThat(base.canWorkInPlace(base.idOf(b))).isTrue();
        }
    }

    @Test
    void keepsTheNamesOfTheBase() {
        b.named("renamed");
        listAll();
        Graph made = assembly.build();

        assertThat(made.label(made.idOf(b))).isEqualTo("b");
    }

    @Test
    void takesInAnyNumberOfTensors() {
        List<Tensor> many =
                IntStream.range(0, 1000).mapToObj(i -> leaf("leaf" + i)).toList();
        many.forEach(tensor -> assembly.addLeaf(assembly.add(tensor)));

        assertThat(assembly.build().leaves()).isEqualTo(many);
    }

    @Nested
    class Refuses {

        @Test
        void aTensorThatIsListedTwice() {
            listAll();
            assembly.addNode(base.idOf(b));

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(assembly::build)
                    .withMessageContainingAll("'b'", "twice");
        }

        @Test
        void aTensorThatIsListedAsNodeAndLeaf() {
            listAll();
            assembly.addLeaf(base.idOf(b));

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(assembly::build)
                    .withMessageContainingAll("'b'", "twice");
        }

        @Test
        void aNodeBeforeTheCopyItReads() {
            int number = assembly.add(copy);
            assembly.wire(base.firstSlot(base.idOf(b)), number);
            listAll();
            assembly.addNode(number);

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(assembly::build)
                    .withMessageContainingAll("'b'", "'copy'", "after");
        }

        @Test
        void aViewBeforeTheNodeItIsAViewOf() {
            Tensor into = Tensor.builder(LAYOUT)
                    .op(Op.CPY)
                    .sources(x)
                    .viewOf(a, 0)
                    .name("into")
                    .build();
            GraphAssembly over = GraphAssembly.over(Graph.listed(List.of(a, into), List.of(x)));
            over.addNode(1);
            over.addNode(0);

            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(over::build)
                    .withMessageContainingAll("'into'", "'a'");
        }
    }

    @Test
    void refusesAReaderOfALaterViewThatRunsBeforeWhatTheViewShows() {
        Tensor late = node("late", Op.CONCAT, x);
        Tensor shown = view("shown", Op.VIEW, late);
        Tensor reader = node("reader", Op.ADD, shown, y);
        Graph whole = Graph.of(reader);
        GraphAssembly early = GraphAssembly.over(whole);
        early.addNode(whole.idOf(reader));
        early.addNode(whole.idOf(late));
        early.addNode(whole.idOf(shown));

        assertThatExceptionOfType(InvalidGraphException.class)
                .isThrownBy(early::build)
                .withMessageContaining("'reader'");
    }

    @Test
    void letsAViewOpComeAfterItsReader() {
        Tensor seen = view("seen", Op.RESHAPE, a);
        Tensor reader = node("reader", Op.CONCAT, seen);
        Graph viewing = Graph.of(reader);
        GraphAssembly over = GraphAssembly.over(viewing);
        over.addNode(viewing.idOf(a));
        over.addNode(viewing.idOf(reader));
        over.addNode(viewing.idOf(seen));

        assertThat(over.build().nodes()).containsExactly(a, reader, seen);
    }

    /** Slices and other orders go by the wiring of the graph, not by the sources of its tensors. */
    @Nested
    class ARewiredGraph {

        private final Graph rewired = rewired();

        @Test
        void hasSlicesThatReadTheCopy() {
            Graph slice = rewired.slice(2, 4);

            assertThat(slice.nodes()).containsExactly(b, c);
            assertThat(sources(slice, b)).containsExactly("copy", "y");
            assertThat(sources(slice, c)).containsExactly("a", "b");
            assertThat(slice.isExternal(slice.idOf(copy))).isTrue();
            assertThat(slice.leaves()).containsExactly(y);
        }

        @Test
        void hasTheSameSlicesTogetherAsOneByOne() {
            List<GraphPart> slices = GraphSlicer.slices(rewired, new int[] {0, 2, 2}, new int[] {2, 4, 3});

            assertThat(slices).hasSize(3);
            assertThat(slices.get(0).graph().isWiredLike(rewired.slice(0, 2))).isTrue();
            assertThat(slices.get(1).graph().isWiredLike(rewired.slice(2, 4))).isTrue();
            assertThat(slices.get(2).graph().isWiredLike(rewired.slice(2, 3))).isTrue();
            assertThat(slices.get(2).graph().nodes()).containsExactly(b);
        }

        @Test
        void hasSlicesThatKnowTheIdsOfTheirTensorsInTheWhole() {
            for (GraphPart part : GraphSlicer.slices(rewired, new int[] {0, 2, 2}, new int[] {2, 4, 3})) {
                Graph slice = part.graph();

                assertThat(part.ids()).hasSize(slice.size());
                for (int id = 0; id < slice.size(); id++) {
                    assertThat(rewired.tensor(part.ids()[id])).isSameAs(slice.tensor(id));
                }
            }
        }

        @Test
        void hasSlicesThatKeepMarksAndNames() {
            b.asOutput().named("renamed");
            Graph slice = rewired.slice(2, 3);

            assertThat(slice.isOutput(0)).isFalse();
            assertThat(slice.label(0)).isEqualTo("b");
        }

        @Test
        void canBeSlicedAgain() {
            assertThat(sources(rewired.slice(1, 4).slice(1, 2), b)).containsExactly("copy", "y");
        }

        @Test
        void runsInAnotherOrderWithTheSameWiring() {
            Graph reordered = rewired.inOrder(1, 0, 2, 3);

            assertThat(reordered.nodes()).containsExactly(a, copy, b, c);
            assertThat(sources(reordered, b)).containsExactly("copy", "y");
        }

        @Test
        void mustNotRunANodeBeforeTheCopyItReads() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> rewired.inOrder(1, 2, 0, 3))
                    .withMessageContainingAll("'b'", "'copy'");
        }

        @Test
        void mayHaveNodesReadOtherTensorsInItsSlices() {
            int[] instead = IntStream.range(0, rewired.size()).toArray();
            instead[rewired.idOf(copy)] = rewired.idOf(x);
            Graph slice = GraphSlicer.slices(rewired, new int[] {2}, new int[] {4}, instead)
                    .getFirst()
                    .graph();

            assertThat(sources(slice, b)).containsExactly("x", "y");
            assertThat(slice.leaves()).containsExactly(x, y);
            assertThat(slice.contains(copy)).isFalse();
            assertThat(sources(rewired, b)).containsExactly("copy", "y");
        }

        @Test
        void needsAReplacementForEveryTensor() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> GraphSlicer.slices(rewired, new int[] {0}, new int[] {4}, new int[3]))
                    .withMessageContainingAll("3", Integer.toString(rewired.size()));
        }

        @Test
        void hasNoSlicesBeyondItsNodes() {
            assertThatExceptionOfType(InvalidGraphException.class)
                    .isThrownBy(() -> GraphSlicer.slices(rewired, new int[] {0, 3}, new int[] {2, 5}))
                    .withMessageContainingAll("3", "5", "4 nodes");
        }
    }
}
