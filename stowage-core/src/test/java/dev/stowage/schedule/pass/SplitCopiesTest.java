package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Capability;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.SplitInput;
import dev.stowage.schedule.Tensors;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SplitCopiesTest {

    private static final ScheduleOptions PLAIN = ScheduleOptions.defaults();
    private static final ScheduleOptions EVERYWHERE = PLAIN.withPipeline(4);
    private static final ScheduleOptions LEAN = EVERYWHERE.withPipelineCopies(PipelineCopies.WHERE_NEEDED);

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu").having(Capability.ASYNC, Capability.EVENTS);
    private final FakeDevice second = FakeDevice.called("second").having(Capability.ASYNC, Capability.EVENTS);

    private final Tensor token = input("token");
    private final Tensor a = node("a", token);
    private final Tensor b = node("b", a);
    private final Tensor c = node("c", b, token);

    private TestTable chain(FakeDevice ofA, FakeDevice ofB, FakeDevice ofC) {
        return TestTable.over(gpu, second, cpu)
                .computing(c)
                .with(a, ofA)
                .with(b, ofB)
                .with(c, ofC)
                .placed();
    }

    private static SplitCopies copies(TestTable table, ScheduleOptions options) {
        Splitting splitting = options.copies() > 1 ? table.splitForAPipeline() : table.split();
        return SplitCopies.of(table.table(), splitting, table.hazards(), options);
    }

    @Nested
    class WithoutAPipeline {

        @Test
        void thereIsOneCopyOfWhatCrosses() {
            SplitInput inputCopy = copies(chain(gpu, gpu, gpu), PLAIN).input(0);

            assertThat(inputCopy.source()).isSameAs(token);
            assertThat(inputCopy.from()).isEqualTo(2);
            assertThat(inputCopy.to()).isZero();
            assertThat(inputCopy.copies()).hasSize(1);
            assertThat(inputCopy.bytes()).isEqualTo(Tensors.BYTES);
        }

        @Test
        void theCopyIsLikeTheOriginalAndNamedAfterDeviceAndTensor() {
            Tensor copy = copies(chain(gpu, gpu, gpu), PLAIN).input(0).copies().getFirst();

            assertThat(copy.layout()).isEqualTo(token.layout());
            assertThat(copy.name()).isEqualTo("gpu#token#0");
            assertThat(copy.isLeaf()).isTrue();
        }

        @Test
        void theCopysMemoryMayBeUsedAgain() {
            Tensor copy = copies(chain(gpu, gpu, gpu), PLAIN).input(0).copies().getFirst();

            assertThat(copy.isInput()).isFalse();
            assertThat(copy.isOutput()).isFalse();
        }
    }

    @Nested
    class Everywhere {

        @Test
        void whatCrossesHasACopyForEveryRunInFlight() {
            SplitCopies copies = copies(chain(gpu, second, second), EVERYWHERE);

            assertThat(copies.input(0).copies())
                    .extracting(Tensor::name)
                    .containsExactly("gpu#token#0", "gpu#token#1", "gpu#token#2", "gpu#token#3");
            assertThat(copies.input(1).copies()).hasSize(4);
        }

        @Test
        void theMemoryOfCopiesIsNeverUsedAgain() {
            assertThat(copies(chain(gpu, gpu, gpu), EVERYWHERE).input(0).copies())
                    .allMatch(Tensor::isInput)
                    .allMatch(Tensor::isOutput);
        }

        @Test
        void anInputOfTheGraphHasSparePlacesOnItsOwnDevice() {
            Tensor[] spares = copies(chain(gpu, gpu, gpu), EVERYWHERE).spares(0);

            assertThat(spares).extracting(Tensor::name).containsExactly("cpu#token#1", "cpu#token#2", "cpu#token#3");
            assertThat(spares).allMatch(Tensor::isInput).allMatch(Tensor::isOutput);
            assertThat(spares).allMatch(spare -> spare.layout().equals(token.layout()));
        }

        @Test
        void theOriginalIsNotMarked() {
            copies(chain(gpu, gpu, gpu), EVERYWHERE);

            assertThat(token.isOutput()).isFalse();
        }

        @Test
        void thereAreAsManyCopiesAsTheCallerLikes() {
            assertThat(copies(chain(gpu, gpu, gpu), PLAIN.withPipeline(11))
                            .input(0)
                            .copies())
                    .hasSize(11);
        }
    }

    @Nested
    class WhereNeeded {

        @Test
        void anInputForADevicesFirstSplitHasACopyForEveryRun() {
            assertThat(copies(chain(gpu, gpu, gpu), LEAN).input(0).copies())
                    .hasSize(4)
                    .allMatch(Tensor::isOutput);
        }

        @Test
        void anInputForALaterSplitHasOneInAPlaceThatNothingElseEverHas() {
            Tensor late = input("late");
            Tensor first = node("first", token);
            Tensor between = node("between", first);
            Tensor last = node("last", between, late);
            SplitCopies copies = copies(
                    TestTable.over(gpu, second, cpu)
                            .computing(last)
                            .with(first, gpu)
                            .with(between, second)
                            .with(last, gpu)
                            .placed(),
                    LEAN);

            SplitInput brought = copies.input(3);
            assertThat(brought.source()).isSameAs(late);
            assertThat(brought.copies()).hasSize(1).allMatch(Tensor::isOutput);
        }

        @Test
        void whatTheDeviceCopiesInItsStreamHasOneWhoseMemoryIsUsedAgain() {
            second.copyingAsyncFrom(gpu);
            SplitInput inputCopy = copies(chain(gpu, second, second), LEAN).input(1);

            assertThat(inputCopy.source()).isSameAs(a);
            assertThat(inputCopy.copies()).hasSize(1).noneMatch(Tensor::isOutput);
        }

        @Test
        void whatTheHostCopiesForADevicesFirstSplitHasACopyForEveryRun() {
            SplitInput inputCopy = copies(chain(gpu, second, second), LEAN).input(1);

            assertThat(inputCopy.source()).isSameAs(a);
            assertThat(inputCopy.copies()).hasSize(4);
        }

        @Test
        void anInputHasSeveralEvenIfTheDeviceCouldCopyItInItsStream() {
            gpu.copyingAsyncFrom(cpu);

            assertThat(copies(chain(gpu, gpu, gpu), LEAN).input(0).copies()).hasSize(4);
        }

        @Test
        void aDeviceWithoutEventsNeedsOneOfEverything() {
            FakeDevice plain = FakeDevice.called("plain").having(Capability.ASYNC);
            TestTable table =
                    TestTable.over(plain, cpu).computing(a).with(a, plain).placed();

            assertThat(copies(table, LEAN).input(0).copies()).hasSize(1);
        }

        @Test
        void anInputThatIsCopiedBeforeTheCallReturnsNeedsNoSparePlaces() {
            assertThat(copies(chain(gpu, gpu, gpu), LEAN).spares(0)).isEmpty();
        }

        @Test
        void anInputThatIsReadInPlaceInFlightHasSparePlaces() {
            gpu.readingMemoryOf(cpu);

            assertThat(copies(chain(gpu, gpu, gpu), LEAN).spares(0)).hasSize(3);
        }

        @Test
        void anInputInMemoryThatIsWrittenInFlightHasSparePlaces() {
            FakeDevice last = FakeDevice.called("last").having(Capability.ASYNC);
            TestTable table = TestTable.over(gpu, last)
                    .computing(b)
                    .with(a, gpu)
                    .with(b, last)
                    .placed();

            assertThat(copies(table, LEAN).spares(0))
                    .as("b may take the place of the token while the caller writes the next one")
                    .hasSize(3);
        }
    }

    @Test
    void namesTensorsWithoutANameAfterTheirNumber() {
        Tensor nameless = leaf("");
        Tensor reader = node("reader", nameless);
        TestTable table =
                TestTable.over(gpu, cpu).computing(reader).with(nameless, cpu).with(reader, gpu);

        assertThat(copies(table, PLAIN).input(0).copies().getFirst().name()).isEqualTo("gpu#leaf_0#0");
    }
}
