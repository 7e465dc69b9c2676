package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.bareView;
import static dev.stowage.schedule.Tensors.copyInto;
import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static dev.stowage.schedule.pass.TestTable.inputsOf;
import static dev.stowage.schedule.pass.TestTable.nodesOf;
import static dev.stowage.schedule.pass.TestTable.rewiringOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SplitPassTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice second = FakeDevice.called("second");

    private final Tensor x = leaf("x");
    private final Tensor a = node("a", x);
    private final Tensor b = node("b", a);
    private final Tensor c = node("c", b);

    private TestTable chain(FakeDevice ofA, FakeDevice ofB, FakeDevice ofC) {
        return TestTable.over(gpu, second, cpu)
                .computing(c)
                .with(a, ofA)
                .with(b, ofB)
                .with(c, ofC)
                .filled();
    }

    private static List<Integer> devicesOf(Splitting splitting) {
        return IntStream.range(0, splitting.count())
                .map(splitting::device)
                .boxed()
                .toList();
    }

    private static List<String> graphInputsOf(Splitting splitting, Graph graph) {
        return IntStream.range(0, splitting.graphInputCount())
                .mapToObj(index -> graph.label(splitting.graphInput(index)))
                .toList();
    }

    @Nested
    class ASplit {

        @Test
        void goesOnAsLongAsTheDeviceIsTheSame() {
            TestTable table = chain(gpu, gpu, gpu);

            assertThat(nodesOf(table.split(), table.graph())).containsExactly(List.of("a", "b", "c"));
        }

        @Test
        void startsWhereTheDeviceChanges() {
            TestTable table = chain(gpu, second, second);
            Splitting splitting = table.split();

            assertThat(nodesOf(splitting, table.graph())).containsExactly(List.of("a"), List.of("b", "c"));
            assertThat(devicesOf(splitting)).containsExactly(0, 1);
        }

        @Test
        void startsAnewOnADeviceThatHadOneBefore() {
            assertThat(devicesOf(chain(gpu, cpu, gpu).split())).containsExactly(0, 2, 0);
        }

        @ParameterizedTest
        @EnumSource(
                value = Op.class,
                names = {"VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"})
        void takesAlongOpsThatOnlyGiveBytesAnotherForm(Op op) {
            Tensor form = view("form", op, x);
            Tensor reader = node("reader", a, form);
            TestTable table = TestTable.over(gpu, cpu)
                    .of(Graph.listed(List.of(a, form, reader), List.of(x)))
                    .with(a, gpu)
                    .with(form, cpu)
                    .with(reader, gpu)
                    .filled();

            assertThat(nodesOf(table.split(), table.graph())).containsExactly(List.of("a", "form", "reader"));
        }

        @Test
        void takesAlongAViewThatComesBeforeItsFirstNode() {
            Tensor form = view("form", x);
            TestTable table = TestTable.over(gpu, cpu)
                    .of(Graph.listed(List.of(form, a), List.of(x)))
                    .with(form, gpu)
                    .with(a, cpu)
                    .filled();
            Splitting splitting = table.split();

            assertThat(nodesOf(splitting, table.graph())).containsExactly(List.of("form", "a"));
            assertThat(devicesOf(splitting)).containsExactly(1);
        }

        @Test
        void takesAlongViewsAfterItEvenIfTheNextSplitReadsThem() {
            Tensor form = view("form", a);
            Tensor reader = node("reader", form);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(reader)
                    .with(a, gpu)
                    .with(reader, cpu)
                    .filled();

            assertThat(nodesOf(table.split(), table.graph())).containsExactly(List.of("a", "form"), List.of("reader"));
        }

        @Test
        void ofAGraphWithoutNodesIsOneWithoutNodes() {
            TestTable table = TestTable.over(gpu, cpu).of(Graph.of(x)).filled();

            assertThat(nodesOf(table.split(), table.graph())).containsExactly(List.of());
        }

        @Test
        void ofViewsOnlyHoldsThemAll() {
            Tensor form = view("form", x);
            TestTable table = TestTable.over(gpu, cpu).computing(form).filled();

            assertThat(nodesOf(table.split(), table.graph())).containsExactly(List.of("form"));
        }
    }

    @Nested
    class ASourceOnAnotherDevice {

        @Test
        void isBroughtOverByTheSplitThatReadsIt() {
            TestTable table = chain(gpu, second, second);
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of(), List.of("a"));
            assertThat(rewiringOf(splitting, table.graph())).containsExactly("b reads a on 1");
        }

        @Test
        void isReadInPlaceWhereTheDeviceReadsThatMemory() {
            second.readingMemoryOf(gpu);
            TestTable table = chain(gpu, second, second);
            Splitting splitting = table.split();

            assertThat(splitting.inputCount()).isZero();
            assertThat(splitting.rewiredCount()).isZero();
        }

        @Test
        void isBroughtToADeviceOnceForTheWholeGraph() {
            Tensor first = node("first", x);
            Tensor between = node("between", Op.SQR, first);
            Tensor again = node("again", x, between);
            TestTable table = TestTable.over(gpu, second, cpu)
                    .computing(again)
                    .with(x, cpu)
                    .with(first, gpu)
                    .with(between, second)
                    .with(again, gpu);
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph()))
                    .containsExactly(List.of("x"), List.of("first"), List.of("between"));
            assertThat(rewiringOf(splitting, table.graph()))
                    .containsExactly(
                            "first reads x on 0",
                            "between reads first on 1",
                            "again reads x on 0",
                            "again reads between on 0");
            assertThat(splitting.rewiredInput(2)).isEqualTo(splitting.rewiredInput(0));
        }

        @Test
        void isBroughtToEveryDeviceThatReadsIt() {
            Tensor one = node("one", x);
            Tensor other = node("other", x);
            TestTable table = TestTable.over(gpu, second, cpu)
                    .computing(one, other)
                    .with(x, cpu)
                    .with(one, gpu)
                    .with(other, second);
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of("x"), List.of("x"));
            assertThat(rewiringOf(splitting, table.graph())).containsExactly("one reads x on 0", "other reads x on 1");
        }

        @Test
        void isBroughtOnceForTwoSlotsThatBothReadTheCopy() {
            Tensor twice = node("twice", x, x);
            TestTable table =
                    TestTable.over(gpu, cpu).computing(twice).with(x, cpu).with(twice, gpu);
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of("x"));
            assertThat(rewiringOf(splitting, table.graph()))
                    .containsExactly("twice reads x on 0", "twice reads x on 0");
        }

        @Test
        void comesInTheOrderOfReading() {
            Tensor y = leaf("y");
            Tensor first = node("first", y);
            Tensor then = node("then", x, y, first);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(then)
                    .with(x, cpu)
                    .with(y, cpu)
                    .with(first, gpu)
                    .with(then, gpu);

            assertThat(inputsOf(table.split(), table.graph())).containsExactly(List.of("y", "x"));
        }

        @Test
        void isNotBroughtForAViewOpThatRidesAlong() {
            Tensor form = view("form", x);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(form, a)
                    .with(x, cpu)
                    .with(form, gpu)
                    .with(a, cpu);

            assertThat(table.split().inputCount()).isZero();
        }

        @Test
        void isBroughtAsTheViewThatIsRead() {
            Tensor form = view("form", a);
            Tensor reader = node("reader", form);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(reader)
                    .with(a, gpu)
                    .with(reader, cpu)
                    .filled();

            assertThat(inputsOf(table.split(), table.graph())).containsExactly(List.of(), List.of("form"));
        }

        @Test
        void isBroughtOverEvenIfTheCallerSaysItIsThere() {
            Tensor weight = cpu.weight("weight");
            Tensor reader = node("reader", weight);
            TestTable table =
                    TestTable.over(gpu, cpu).computing(reader).with(weight, gpu).with(reader, gpu);

            assertThat(inputsOf(table.split(), table.graph())).containsExactly(List.of("weight"));
        }

        @Test
        void isBroughtOverEvenIfOnlyAViewOfItIsSaidToBeThere() {
            Tensor seen = bareView("seen", x);
            Tensor reader = node("reader", seen);
            TestTable table = TestTable.over(gpu, cpu)
                    .of(Graph.listed(List.of(reader), List.of(x, seen)))
                    .with(x, cpu)
                    .with(seen, gpu)
                    .with(reader, gpu);

            assertThat(inputsOf(table.split(), table.graph())).containsExactly(List.of("seen"));
        }
    }

    /** What ggml copies only once, and so from before it was written. */
    @Nested
    class ATensorThatIsWrittenThroughAView {

        private final Tensor cache = cpu.cache("cache");
        private final Tensor early = node("early", cache);
        private final Tensor written = copyInto("written", x, cache);
        private final Tensor late = node("late", cache);

        @Test
        void isBroughtOverAgainAfterwards() {
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(early, written, late)
                    .with(x, cpu)
                    .with(early, gpu)
                    .with(late, gpu)
                    .placed();
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph()))
                    .containsExactly(List.of("cache"), List.of(), List.of("cache"));
            assertThat(splitting.rewiredInput(0)).isNotEqualTo(splitting.rewiredInput(1));
        }

        @Test
        void isBroughtOverOnceIfItIsOnlyWrittenBefore() {
            Tensor between = node("between", x);
            Tensor again = node("again", cache, between);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(written, late, again)
                    .with(x, cpu)
                    .with(late, gpu)
                    .with(between, cpu)
                    .with(again, gpu)
                    .placed();

            assertThat(inputsOf(table.split(), table.graph()))
                    .containsExactly(List.of(), List.of("cache"), List.of(), List.of("between"));
        }

        @Test
        void startsASplitWhereADeviceNeedsACopyOfWhatItHasJustWritten() {
            Tensor target = leaf("target");
            Tensor into = copyInto("into", x, target);
            Tensor seen = view("seen", target);
            Tensor reader = node("reader", seen);
            gpu.readingMemoryOf(cpu);
            TestTable table = TestTable.over(gpu, second, cpu)
                    .computing(into, reader)
                    .with(x, gpu)
                    .with(target, cpu)
                    .with(into, gpu)
                    .with(seen, second)
                    .with(reader, gpu);
            Splitting splitting = table.split();

            assertThat(nodesOf(splitting, table.graph())).containsExactly(List.of("into", "seen"), List.of("reader"));
            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of(), List.of("seen"));
        }
    }

    @Nested
    class AWeightOnAnotherDevice {

        private final Tensor first = cpu.weight("first");
        private final Tensor other = cpu.weight("other");

        private TestTable onTheGpu(Tensor... roots) {
            Graph graph = Graph.of(roots);
            TestTable table = TestTable.over(gpu, cpu).of(graph);
            graph.nodes().forEach(node -> table.with(node, gpu));
            return table.seeded().filled();
        }

        @Test
        void startsASplitIfThePresentOneHasInputs() {
            Tensor one = node("one", first);
            TestTable table = onTheGpu(node("two", other, one));
            Splitting splitting = table.split();

            assertThat(nodesOf(splitting, table.graph())).containsExactly(List.of("one"), List.of("two"));
            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of("first"), List.of("other"));
            assertThat(devicesOf(splitting)).containsExactly(0, 0);
        }

        @Test
        void startsNoneIfThePresentOneHasNoInputs() {
            TestTable table = onTheGpu(node("two", other, node("one", gpu.weight("here"))));

            assertThat(nodesOf(table.split(), table.graph())).containsExactly(List.of("one", "two"));
        }

        @Test
        void startsOneEvenIfItHasBeenBroughtOverBefore() {
            Tensor one = node("one", first);
            TestTable table = onTheGpu(node("two", first, one));
            Splitting splitting = table.split();

            assertThat(nodesOf(splitting, table.graph())).containsExactly(List.of("one"), List.of("two"));
            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of("first"), List.of());
        }

        @Test
        void startsNoneIfTheDeviceReadsItWhereItIsStored() {
            gpu.readingMemoryOf(cpu);
            Tensor far = second.cache("far");
            Tensor one = node("one", far);
            Tensor two = node("two", first, one);
            TestTable table = TestTable.over(gpu, second, cpu)
                    .computing(two)
                    .with(one, gpu)
                    .with(two, gpu)
                    .with(first, cpu)
                    .seeded();
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of("far"));
        }

        @Test
        void startsNoneIfItIsOnlySeenThroughAView() {
            Tensor one = node("one", first);
            Tensor form = view("form", other);
            Tensor two = node("two", one, form);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(two)
                    .with(one, gpu)
                    .with(two, gpu)
                    .seeded();
            Splitting splitting = table.split();

            assertThat(inputsOf(splitting, table.graph())).containsExactly(List.of("first", "form"));
        }

        @Test
        void isNotAnythingElseThatIsStoredThere() {
            Tensor one = node("one", cpu.cache("cache"));
            TestTable table = onTheGpu(node("two", cpu.cache("more"), one));

            assertThat(inputsOf(table.split(), table.graph())).containsExactly(List.of("cache", "more"));
        }
    }

    @Nested
    class InputsOfTheGraph {

        private final Tensor token = input("token");
        private final Tensor position = input("position");

        @Test
        void areNotedForAPipelineInTheOrderOfReading() {
            Tensor one = node("one", position);
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(node("two", token, one, position))
                    .placed();

            assertThat(graphInputsOf(table.splitForAPipeline(), table.graph())).containsExactly("position", "token");
        }

        @Test
        void areNotNotedWithoutAPipeline() {
            assertThat(TestTable.over(gpu, cpu)
                            .computing(node("one", token))
                            .placed()
                            .split()
                            .graphInputCount())
                    .isZero();
        }

        @Test
        void areNotNotedIfOnlyViewsReadThem() {
            TestTable table = TestTable.over(gpu, cpu)
                    .computing(node("one", view("form", token)))
                    .placed();

            assertThat(table.splitForAPipeline().graphInputCount()).isZero();
        }

        @Test
        void mayBeComputed() {
            Tensor computed = node("computed", token).asInput();
            TestTable table =
                    TestTable.over(gpu, cpu).computing(node("one", computed)).placed();

            assertThat(graphInputsOf(table.splitForAPipeline(), table.graph())).containsExactly("token", "computed");
        }
    }

    @Nested
    class ThereIsNoLimit {

        @Test
        void onTheInputsOfASplit() {
            List<Tensor> leaves = new ArrayList<>();
            Tensor sum = a;
            for (int i = 0; i < 100; i++) {
                Tensor leaf = leaf("leaf" + i);
                leaves.add(leaf);
                sum = node("sum" + i, sum, leaf);
            }
            TestTable table = TestTable.over(gpu, cpu).computing(sum);
            table.graph().nodes().forEach(node -> table.with(node, gpu));
            leaves.forEach(leaf -> table.with(leaf, cpu));

            Splitting splitting = table.filled().split();

            assertThat(splitting.count()).isEqualTo(1);
            assertThat(splitting.inputCount()).isEqualTo(100);
        }

        @Test
        void onSplits() {
            Tensor last = a;
            for (int i = 1; i < 5000; i++) {
                last = node("n" + i, last);
            }
            Graph graph = Graph.of(last);
            TestTable table = TestTable.over(gpu, cpu).of(graph);
            for (int id = 0; id < graph.nodeCount(); id++) {
                table.with(graph.node(id), id % 2 == 0 ? gpu : cpu);
            }

            Splitting splitting = table.filled().split();

            assertThat(splitting.count()).isEqualTo(5000);
            assertThat(splitting.inputCount()).isEqualTo(4999);
        }

        @Test
        void onDevices() {
            FakeDevice[] forty = IntStream.range(0, 40)
                    .mapToObj(i -> FakeDevice.called("device" + i))
                    .toArray(FakeDevice[]::new);
            Tensor last = x;
            for (FakeDevice device : forty) {
                last = node("on" + device, device.weight("weight of " + device), last);
            }
            TestTable table = TestTable.over(forty).computing(last).placed();
            Splitting splitting = table.split();

            assertThat(devicesOf(splitting))
                    .isEqualTo(IntStream.range(0, 40).boxed().toList());
            assertThat(splitting.inputCount()).isEqualTo(39);
        }
    }

    @Test
    void beginsANewSplitBeforeAViewFromElsewhereIsCopiedOfWhatThisOneComputes() {
        Tensor seen = view("seen", a);
        Tensor reader = node("reader", seen);
        TestTable table = TestTable.over(gpu, second, cpu)
                .computing(reader)
                .with(a, gpu)
                .with(seen, second)
                .with(reader, gpu)
                .filled();
        Splitting splitting = table.split();

        assertThat(splitting.count()).isEqualTo(2);
        assertThat(splitting.firstNode(1)).isEqualTo(table.graph().idOf(reader));
        assertThat(inputsOf(splitting, table.graph()).get(1)).containsExactly("seen");
    }
}
