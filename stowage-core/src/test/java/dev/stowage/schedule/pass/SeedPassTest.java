package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.bareView;
import static dev.stowage.schedule.Tensors.copyInto;
import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.mulMat;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.Rule;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SeedPassTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice second = FakeDevice.called("second");
    private final Tensor x = leaf("x");

    @Nested
    class StoredTensorBytes {

        @Test
        void isOnADeviceThatReadsThatMemory() {
            Tensor weight = second.weight("weight");

            TestTable seeded = TestTable.over(gpu, second, cpu)
                    .computing(node("n", weight))
                    .seeded();

            assertThat(seeded.deviceOf(weight)).contains(second);
            assertThat(seeded.reasonOf(weight).rule()).isEqualTo(Rule.STORED_THERE);
        }

        @Test
        void isOnTheFirstDeviceThatReadsIt() {
            gpu.readingMemoryOf(second);
            Tensor weight = second.weight("weight");

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(node("n", weight))
                            .seeded()
                            .deviceOf(weight))
                    .contains(gpu);
        }

        @Test
        void isOnTheFirstDeviceThatAlsoComputesIt() {
            gpu.readingMemoryOf(second).refusing(Op.CPY);
            Tensor cache = second.cache("cache");
            Tensor written = copyInto("written", x, cache);

            TestTable seeded =
                    TestTable.over(gpu, second, cpu).computing(written).seeded();

            assertThat(seeded.deviceOf(written)).contains(second);
            assertThat(seeded.deviceOf(cache)).as("nothing computes a leaf").contains(gpu);
        }

        @Test
        void isThereThroughAViewToo() {
            Tensor seen = view("seen", second.cache("cache"));

            TestTable seeded = TestTable.over(gpu, second, cpu).computing(seen).seeded();

            assertThat(seeded.deviceOf(seen)).contains(second);
            assertThat(seeded.reasonOf(seen).rule()).isEqualTo(Rule.STORED_THERE);
        }

        @Test
        void staysThereThoughItIsAnInput() {
            Tensor placed = second.cache("placed").asInput();

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(node("n", placed))
                            .seeded()
                            .deviceOf(placed))
                    .contains(second);
        }

        @Test
        void staysThereWhateverTheUsageOfItsBuffer() {
            Tensor placed = FakeDevice.stored("placed", second.bufferType(), BufferUsage.COMPUTE);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(node("n", placed))
                            .seeded()
                            .deviceOf(placed))
                    .contains(second);
        }

        @Test
        void cannotBeMovedWhereItsOpRuns() {
            second.refusing(Op.CPY);
            Tensor written = copyInto("written", x, second.cache("cache"));
            TestTable table = TestTable.over(gpu, second, cpu).computing(written);

            assertThatExceptionOfType(UnsupportedOpException.class)
                    .isThrownBy(table::seeded)
                    .withMessageContainingAll("'written'", "CPY", "'x'", "'cache'")
                    .satisfies(thrown -> assertThat(thrown.refusals())
                            .containsEntry("gpu", "it does not reach second memory, where the result is stored")
                            .containsEntry("second", "second has no cpy")
                            .containsEntry("cpu", "it does not reach second memory, where the result is stored"));
        }

        @Test
        void mustBeReadBySomeDevice() {
            Tensor lost = FakeDevice.stored("lost", MeasuringBufferType.of("attic", 32), BufferUsage.WEIGHTS);
            TestTable table = TestTable.over(gpu, cpu).computing(node("n", lost));

            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(table::seeded)
                    .withMessageContainingAll("'lost'", "attic", "gpu", "cpu");
        }
    }

    @Nested
    class AnInput {

        @Test
        void isOnTheLastDevice() {
            Tensor token = input("token");

            TestTable seeded =
                    TestTable.over(gpu, second, cpu).computing(node("n", token)).seeded();

            assertThat(seeded.deviceOf(token)).contains(cpu);
            assertThat(seeded.reasonOf(token).rule()).isEqualTo(Rule.INPUT);
        }

        @Test
        void thatIsComputedIsOnTheLastDeviceTooWhateverItsWeights() {
            Tensor computed = mulMat("computed", gpu.weight("weight"), x).asInput();

            assertThat(TestTable.over(gpu, cpu).computing(computed).seeded().deviceOf(computed))
                    .contains(cpu);
        }
    }

    @Nested
    class AWeight {

        @Test
        void drawsItsReadersToItsDevice() {
            Tensor weight = second.weight("weight");
            Tensor product = mulMat("product", weight, x);

            TestTable seeded =
                    TestTable.over(gpu, second, cpu).computing(product).seeded();

            assertThat(seeded.deviceOf(product)).contains(second);
            assertThat(seeded.reasonOf(product).rule()).isEqualTo(Rule.WEIGHT_THERE);
            assertThat(seeded.reasonOf(product).because()).containsSame(weight);
        }

        @Test
        void drawsThemToTheFirstDeviceThatReadsItAndRunsTheirOp() {
            gpu.readingMemoryOf(cpu).refusing(Op.MUL_MAT);
            second.readingMemoryOf(cpu);
            Tensor product = mulMat("product", cpu.weight("weight"), x);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(product)
                            .seeded()
                            .deviceOf(product))
                    .contains(second);
        }

        @Test
        void decidesBeforeThoseInLaterSlots() {
            Tensor first = second.weight("first");
            Tensor both = node("both", x, first, gpu.weight("later"));

            TestTable seeded = TestTable.over(gpu, second, cpu).computing(both).seeded();

            assertThat(seeded.deviceOf(both)).contains(second);
            assertThat(seeded.reasonOf(both).because()).containsSame(first);
        }

        @Test
        void decidesEvenThatNothingIsDecidedWhereNoDeviceHasItAndRunsTheOp() {
            second.refusing(Op.CONCAT);
            Tensor both = node("both", second.weight("first"), gpu.weight("later"));

            assertThat(TestTable.over(gpu, second, cpu).computing(both).seeded().deviceOf(both))
                    .isEmpty();
        }

        @Test
        void seenThroughAViewDecidesNothing() {
            Tensor reader = node("reader", bareView("seen", gpu.weight("weight")), x);

            assertThat(TestTable.over(gpu, cpu).computing(reader).seeded().deviceOf(reader))
                    .isEmpty();
        }

        @Test
        void isNotWhatIsStoredInOtherMemory() {
            Tensor reader = node("reader", gpu.cache("cache"));

            assertThat(TestTable.over(gpu, cpu).computing(reader).seeded().deviceOf(reader))
                    .isEmpty();
        }

        @ParameterizedTest
        @EnumSource(
                value = Op.class,
                names = {"ROPE", "FLASH_ATTN_EXT"})
        void isTooSmallToDecideForThese(Op op) {
            Tensor reader = node("reader", op, x, gpu.weight("small"));

            assertThat(TestTable.over(gpu, cpu).computing(reader).seeded().deviceOf(reader))
                    .isEmpty();
        }

        @Test
        void decidesForRopesGradient() {
            Tensor reader = node("reader", Op.ROPE_BACK, x, gpu.weight("weight"));

            assertThat(TestTable.over(gpu, cpu).computing(reader).seeded().deviceOf(reader))
                    .contains(gpu);
        }
    }

    @Nested
    class OffloadingAnOp {

        private final Tensor weight = cpu.weight("weight");
        private final Tensor product = mulMat("product", weight, x);

        @Test
        void putsItOnTheFirstDeviceThatWantsIt() {
            second.wanting(Op.MUL_MAT);

            TestTable seeded =
                    TestTable.over(gpu, second, cpu).computing(product).seededWithOffloading();

            assertThat(seeded.deviceOf(product)).contains(second);
            assertThat(seeded.reasonOf(product).rule()).isEqualTo(Rule.OFFLOADED);
            assertThat(seeded.reasonOf(product).because()).containsSame(weight);
        }

        @Test
        void isLeftToTheLaterOfTwoIfTheEarlierCannotRunIt() {
            gpu.wanting(Op.MUL_MAT).refusing(Op.MUL_MAT);
            second.wanting(Op.MUL_MAT);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(product)
                            .seededWithOffloading()
                            .deviceOf(product))
                    .contains(second);
        }

        @Test
        void prefersTheDeviceOfHigherPriority() {
            gpu.wanting(Op.MUL_MAT);
            second.wanting(Op.MUL_MAT);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(product)
                            .seededWithOffloading()
                            .deviceOf(product))
                    .contains(gpu);
        }

        @Test
        void happensOnlyWhenAskedFor() {
            gpu.wanting(Op.MUL_MAT);

            assertThat(TestTable.over(gpu, cpu).computing(product).seeded().deviceOf(product))
                    .contains(cpu);
        }

        @Test
        void leavesTheOpWithItsWeightsIfNoDeviceOffloadsIt() {
            TestTable seeded = TestTable.over(gpu, cpu).computing(product).seededWithOffloading();

            assertThat(seeded.deviceOf(product)).contains(cpu);
            assertThat(seeded.reasonOf(product).rule()).isEqualTo(Rule.WEIGHT_THERE);
        }

        @Test
        void leavesTheWeightWhereItIs() {
            gpu.wanting(Op.MUL_MAT);

            assertThat(TestTable.over(gpu, cpu)
                            .computing(product)
                            .seededWithOffloading()
                            .deviceOf(weight))
                    .contains(cpu);
        }

        @Test
        void isOnlyForWeightsInHostMemory() {
            FakeDevice far = FakeDevice.called("far");
            gpu.wanting(Op.MUL_MAT);
            Tensor there = mulMat("there", far.weight("weight"), x);

            assertThat(TestTable.over(gpu, far)
                            .computing(there)
                            .seededWithOffloading()
                            .deviceOf(there))
                    .contains(far);
        }

        @Test
        void isOnlyForOpsThatWouldBeOnTheLastDevice() {
            gpu.wanting(Op.MUL_MAT);
            second.readingMemoryOf(cpu);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(product)
                            .seededWithOffloading()
                            .deviceOf(product))
                    .contains(second);
        }
    }

    @Test
    void keepsWhatTheCallerAssigned() {
        Tensor token = input("token");
        Tensor product = mulMat("product", second.weight("weight"), token);

        TestTable seeded = TestTable.over(gpu, second, cpu)
                .computing(product)
                .with(product, gpu)
                .with(token, second)
                .seeded();

        assertThat(seeded.deviceOf(product)).contains(gpu);
        assertThat(seeded.deviceOf(token)).contains(second);
        assertThat(seeded.reasonOf(product).rule()).isEqualTo(Rule.CALLER);
    }

    @Test
    void leavesEverythingElseOpen() {
        Tensor sum = node("sum", x, leaf("y"));

        TestTable seeded = TestTable.over(gpu, cpu).computing(sum).seeded();

        assertThat(seeded.deviceOf(sum)).isEmpty();
        assertThat(seeded.deviceOf(x)).isEmpty();
    }

    @Test
    void leavesExternalTensorsToTheirReaders() {
        Tensor outside = second.weight("outside");
        Tensor reader = node("reader", x, outside);

        TestTable seeded = TestTable.over(gpu, second, cpu)
                .of(Graph.listed(List.of(reader), List.of(x)))
                .seeded();

        assertThat(seeded.deviceOf(outside)).isEmpty();
        assertThat(seeded.deviceOf(reader)).contains(second);
    }
}
